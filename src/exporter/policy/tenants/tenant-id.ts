/** The part of a request that names the store's tenant: `metrics.tenancy`. */
export type TenantForm = "header" | "path";

/** The longest ID that Mimir and Cortex take, in bytes. */
const maxBytes = 150;
const plain = /^[A-Za-z0-9_.-]+$/;
/** `accountID:projectID` of a VictoriaMetrics cluster. */
const accountAndProject = /^[0-9]+:[0-9]+$/;

/**
 * The reason a tenant's ID cannot be used, or undefined. IDs are limited to characters that neither a header
 * nor a path can misread; those that a store takes for several tenants, or for its own, are refused:
 *
 * - `a|b` in a header selects both tenants in Mimir and Cortex (tenant federation).
 * - `multitenant` in a path selects all tenants of a VictoriaMetrics cluster.
 * - `__mimir_cluster` is Mimir's own tenant.
 * - `.` and `..` change a path, and the names of a store's folders.
 */
export function tenantIdProblem(id: string, form: TenantForm): string | undefined {
  if (id === "") return "must not be empty";
  if (Buffer.byteLength(id) > maxBytes) return `must be at most ${maxBytes} bytes`;
  if (form === "path" && accountAndProject.test(id)) return undefined;
  if (!plain.test(id)) {
    const also = form === "path" ? "; one : is allowed between digits" : "";
    return `must consist of letters, digits, -, _ and .${also}`;
  }
  if (id === "." || id === "..") return "must not be . or ..";
  const name = id.toLowerCase();
  if (name === "__mimir_cluster") return "must not be __mimir_cluster, which is Mimir's own tenant";
  if (form === "path" && name === "multitenant") {
    return "must not be multitenant, which stands for all tenants of a VictoriaMetrics cluster";
  }
  return undefined;
}
