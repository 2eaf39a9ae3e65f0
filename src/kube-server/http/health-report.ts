/**
 * A response to `/livez`, `/readyz` or `/healthz`, as kube-apiserver has it. A server whose store does not
 * respond is not ready, but alive: a restart would not help. One that stops is not ready while it still
 * listens, so that a load balancer sends it nothing more.
 *
 * @param name of the path: `livez`, `readyz`, `healthz`
 * @param isVerbose lists the checks also if all pass
 */
export function healthReport(
  name: string,
  isStoreResponding: boolean,
  isStopping: boolean,
  isVerbose: boolean,
): { readonly code: number; readonly text: string } {
  const checks = [{ check: "ping", isOk: true, fault: "" }];
  if (name !== "livez") checks.push({ check: "redis", isOk: isStoreResponding, fault: "no response" });
  if (name === "readyz") checks.push({ check: "shutdown", isOk: !isStopping, fault: "the server stops" });
  const isPassed = checks.every(({ isOk }) => isOk);
  if (isPassed && !isVerbose) return { code: 200, text: "ok" };
  const lines = checks.map(({ check, isOk, fault }) =>
    isOk ? `[+]${check} ok` : `[-]${check} failed: ${fault}`,
  );
  lines.push(`${name} check ${isPassed ? "passed" : "failed"}`);
  return { code: isPassed ? 200 : 500, text: `${lines.join("\n")}\n` };
}
