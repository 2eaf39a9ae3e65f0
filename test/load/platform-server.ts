import { join } from "node:path";
import { startTestPlatform } from "../support/plane/platform.ts";

/**
 * The server of the load test, in a separate process, so that its memory and processor time can be measured.
 */
const platform = await startTestPlatform({ limits: { requestsPerSecondPerToken: 100_000 } });
let peakBytes = 0;
const timer = setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}, 100);
process.on("message", (message) => {
  if (message === "memory") process.send?.({ peakBytes });
  if (message === "stop") {
    clearInterval(timer);
    void platform.stop().then(() => process.disconnect());
  }
});
process.send?.({
  url: platform.url,
  bearer: await platform.exchange(platform.token),
  token: platform.token,
  caFile: join(platform.stateDirectory, "platform", "ca.crt"),
});
