import { readFileSync } from "node:fs";
import type { SecureContextOptions } from "node:tls";
import { TelemetrydError } from "../../../base/core/errors.ts";
import { liveSecrets } from "../../../base/log/live-secrets.ts";
import { secretsByName } from "../../../base/log/secret-values.ts";
import { lookOfFile } from "../../../base/net/renewed-context.ts";
import { systemAuthorities } from "../../../base/net/tls-material.ts";
import { type KubeAccess, type KubeCredentials, type PemLocation, readKubeconfig } from "./kubeconfig.ts";

/**
 * A kubeconfig that is reread when it changes; the last valid version stays in use while the file is invalid.
 */
export class KubeconfigFile {
  readonly #path: string;
  #look = "";
  #access: KubeAccess | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws FILE_UNREADABLE, INVALID_CONFIGURATION if no valid version has been read yet */
  access(): KubeAccess {
    try {
      const look = this.#currentLook();
      if (this.#access !== undefined && look === this.#look) return this.#access;
      const outcome = readKubeconfig(readPem({ file: this.#path }, "controlPlane.kubeconfig"), this.#path);
      if (!outcome.ok) {
        const message = `controlPlane.kubeconfig: ${this.#path} cannot be used: ${outcome.message}`;
        throw new TelemetrydError("INVALID_CONFIGURATION", message);
      }
      const { access } = outcome;
      liveSecrets.hold("controlPlane.kubeconfig", secretsOf(access.credentials));
      this.#access = access;
      this.#look = look;
      return access;
    } catch (error) {
      if (this.#access !== undefined) return this.#access;
      throw error;
    }
  }

  #currentLook(): string {
    try {
      return lookOfFile(this.#path);
    } catch {
      // Reading the file reports the error.
      return "";
    }
  }

  /** Current content of the authority and client certificate files, for comparison. */
  tlsLook(): string {
    const { ca, credentials } = this.access();
    const { certificate, key } = credentials.kind === "certificate" ? credentials : {};
    return [lookOfFile(this.#path), ...[ca, certificate, key].map(lookOfPem)].join(" ");
  }

  /** @throws FILE_UNREADABLE */
  tls(): SecureContextOptions {
    const { credentials } = this.access();
    // Like kubectl: trust only the authority that the kubeconfig names.
    const ca = this.authority() ?? systemAuthorities();
    if (credentials.kind !== "certificate") return { ca };
    return {
      ca,
      cert: readPem(credentials.certificate, "client-certificate"),
      key: readPem(credentials.key, "client-key"),
    };
  }

  /** PEM of the kubeconfig's authority. @throws FILE_UNREADABLE */
  authority(): string | undefined {
    const { ca } = this.access();
    return ca && readPem(ca, "certificate-authority");
  }
}

function lookOfPem(source: PemLocation | undefined): string {
  return source === undefined || "text" in source ? "-" : lookOfFile(source.file);
}

function secretsOf(credentials: KubeCredentials): string[] {
  if (credentials.kind === "token") return [credentials.token];
  return credentials.kind === "exec" ? secretsByName(credentials.env) : [];
}

/** @throws FILE_UNREADABLE */
export function readPem(source: PemLocation, what: string): string {
  if ("text" in source) return source.text;
  try {
    return readFileSync(source.file, "utf8");
  } catch (cause) {
    throw new TelemetrydError("FILE_UNREADABLE", `${what}: ${source.file} cannot be read`, { cause });
  }
}
