/**
 * A response to `/livez`, `/readyz` or `/healthz`, as kube-apiserver has it. A server whose store does not
 * respond is not ready, but alive: a restart would not help.
 *
 * @param name of the path: `livez`, `readyz`, `healthz`
 * @param isVerbose lists the checks also if all pass
 */
export function healthReport(
  name: string,
  isStoreResponding: boolean,
  isVerbose: boolean,
): { readonly code: number; readonly text: string } {
  const checks = [{ check: "ping", isOk: true }];
  if (name !== "livez") checks.push({ check: "redis", isOk: isStoreResponding });
  const isPassed = checks.every(({ isOk }) => isOk);
  if (isPassed && !isVerbose) return { code: 200, text: "ok" };
  const lines = checks.map(({ check, isOk }) =>
    isOk ? `[+]${check} ok` : `[-]${check} failed: no response`,
  );
  lines.push(`${name} check ${isPassed ? "passed" : "failed"}`);
  return { code: isPassed ? 200 : 500, text: `${lines.join("\n")}\n` };
}
