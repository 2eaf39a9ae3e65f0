import { liveSecrets } from "../../base/log/live-secrets.ts";
import type { SecretValue } from "../../base/log/secret-forms.ts";
import { type CheckedPolicy, isWhole } from "./spec/check-policy.ts";
import type { PolicyRef, Secret } from "./spec/types.ts";

/** Everything that one control plane (or the directory) declares. */
interface PlaneSnapshot {
  readonly policies: readonly CheckedPolicy[];
  readonly secrets: readonly Secret[];
}

interface Plane {
  readonly policies: Map<string, CheckedPolicy>;
  /** The last version without a fault of each policy that has one now. */
  readonly whole: Map<string, CheckedPolicy>;
  readonly secrets: Map<string, Secret>;
}

/**
 * Policies and Secrets of all origins. An origin replaces its whole plane at once, so that an interrupted
 * listing never removes a policy; later it applies single changes. Listeners are called soon after, once for
 * many changes.
 */
export class PolicyStore {
  readonly #planes = new Map<string, Plane>();
  readonly #listeners = new Set<() => void>();
  #announced = false;

  /** Replaces a whole plane. */
  replacePlane(plane: string, snapshot: PlaneSnapshot): void {
    const before = this.#planes.get(plane);
    const whole = new Map<string, CheckedPolicy>();
    for (const policy of snapshot.policies) keepWhole(policy, before, whole);
    this.#planes.set(plane, {
      policies: new Map(snapshot.policies.map((policy) => [key(policy.ref), policy])),
      whole,
      secrets: new Map(snapshot.secrets.map((secret) => [key(secret), secret])),
    });
    for (const secret of snapshot.secrets) holdCredentials(secret);
    for (const secret of before?.secrets.values() ?? []) this.#releaseUnlessKept(secret);
    this.#announce();
  }

  removePlane(plane: string): void {
    const before = this.#planes.get(plane)?.secrets.values() ?? [];
    if (this.#planes.delete(plane)) this.#announce();
    for (const secret of before) this.#releaseUnlessKept(secret);
  }

  putPolicy(policy: CheckedPolicy): void {
    const plane = this.#plane(policy.ref.plane);
    keepWhole(policy, plane, plane.whole);
    plane.policies.set(key(policy.ref), policy);
    this.#announce();
  }

  deletePolicy(ref: Omit<PolicyRef, "uid">): void {
    const plane = this.#planes.get(ref.plane);
    plane?.whole.delete(key(ref));
    if (plane?.policies.delete(key(ref))) this.#announce();
  }

  putSecret(secret: Secret): void {
    this.#plane(secret.plane).secrets.set(key(secret), secret);
    holdCredentials(secret);
    this.#announce();
  }

  deleteSecret(secret: Pick<Secret, "plane" | "namespace" | "name">): void {
    if (this.#planes.get(secret.plane)?.secrets.delete(key(secret))) this.#announce();
    this.#releaseUnlessKept(secret);
  }

  /**
   * Whether the plane's origin has reported. Before that, an empty plane does not mean it has no policies.
   */
  hasPlane(plane: string): boolean {
    return this.#planes.has(plane);
  }

  policies(): CheckedPolicy[] {
    return [...this.#planes.values()].flatMap((plane) => [...plane.policies.values()]);
  }

  policy(ref: PolicyRef): CheckedPolicy | undefined {
    const policy = this.#planes.get(ref.plane)?.policies.get(key(ref));
    return policy?.ref.uid === ref.uid ? policy : undefined;
  }

  /**
   * The last version without a fault of a policy that has one now: its exports continue. Undefined if
   * there was none since the start.
   */
  lastWhole(ref: PolicyRef): CheckedPolicy | undefined {
    return this.#planes.get(ref.plane)?.whole.get(key(ref));
  }

  secret(plane: string, namespace: string, name: string): Secret | undefined {
    return this.#planes.get(plane)?.secrets.get(key({ namespace, name }));
  }

  /** @returns ends the subscription */
  subscribe(listener: () => void): () => void {
    // A separate function, so that one listener may subscribe twice and end one subscription.
    const own = () => listener();
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  #releaseUnlessKept(secret: Pick<Secret, "plane" | "namespace" | "name">): void {
    if (this.secret(secret.plane, secret.namespace, secret.name) === undefined) {
      liveSecrets.hold(ownerOf(secret), []);
    }
  }

  #plane(name: string): Plane {
    const plane = this.#planes.get(name) ?? { policies: new Map(), whole: new Map(), secrets: new Map() };
    this.#planes.set(name, plane);
    return plane;
  }

  #announce(): void {
    if (this.#announced) return;
    this.#announced = true;
    queueMicrotask(() => {
      // Cleared first, so that a listener's own changes are announced again.
      this.#announced = false;
      for (const listener of [...this.#listeners]) listener();
    });
  }
}

/** Notes which version of a policy the one that comes now continues. */
function keepWhole(
  policy: CheckedPolicy,
  before: Plane | undefined,
  whole: Map<string, CheckedPolicy>,
): void {
  const name = key(policy.ref);
  const present = before?.policies.get(name);
  const last = present !== undefined && isWhole(present) ? present : before?.whole.get(name);
  if (isWhole(policy) || last?.ref.uid !== policy.ref.uid) whole.delete(name);
  else whole.set(name, last);
}

/** Shorter values of a Secret may be any word, as those that say "true". */
const leastSecretLength = 8;
/** Of one Secret. */
const maxHeld = 1_000;

function holdCredentials(secret: Secret): void {
  liveSecrets.hold(ownerOf(secret), secretValues(secret));
}

function secretValues({ data }: Secret): SecretValue[] {
  const { username = "", password, ...others } = Object.fromEntries([...data].slice(0, maxHeld));
  const values = Object.values(others).filter((value) => value.length >= leastSecretLength);
  return password === undefined ? values : [{ username, password }, ...values];
}

function ownerOf({ plane, namespace, name }: Pick<Secret, "plane" | "namespace" | "name">): string {
  return `Secret ${plane}/${namespace}/${name}`;
}

/** Without the uid: a namespace holds one policy per name, and a new uid replaces the old one. */
function key(object: { readonly namespace: string; readonly name: string }): string {
  return `${object.namespace}/${object.name}`;
}
