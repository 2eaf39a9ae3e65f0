import type { SecureContext } from "node:tls";
import { Agent, buildConnector } from "undici";
import type { Clock } from "../../../base/core/clock.ts";
import type { Logger } from "../../../base/log/log.ts";
import { SecretFile } from "../../../base/log/secret-file.ts";
import { lookOfFile, RenewedContext } from "../../../base/net/renewed-context.ts";
import { systemAuthorities } from "../../../base/net/tls-material.ts";
import { type ExchangeOutcome, exchangeToken, jwtExpiry } from "./exchange.ts";
import { execCredential } from "./exec-credential.ts";
import { KubeconfigFile, readPem } from "./kubeconfig-file.ts";
import { createPlaneClient, type PlaneClient, type StreamingClient } from "./plane-client.ts";
import { Throttle } from "./throttle.ts";
import {
  createExchangingSource,
  type ExchangingOptions,
  noBearer,
  type TokenProvider,
} from "./token-provider.ts";

interface CommonOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly random?: () => number;
}

export interface ApiOptions extends CommonOptions {
  /** `controlPlane.apiUrl`. */
  readonly apiUrl: string;
  readonly groupDomain: string;
  readonly accessTokenFile: string;
  readonly caFile?: string | undefined;
  /** Additional trusted authority (PEM), for a self-hosted platform. */
  readonly ca?: string | undefined;
}

export interface KubeconfigOptions extends CommonOptions {
  /** `controlPlane.kubeconfig`. */
  readonly kubeconfig: string;
}

/** Credentials and connections that the clients of an API share. */
interface Access {
  readonly bearer: TokenProvider;
  close(): Promise<void>;
}

export interface ApiAccess extends Access {
  client(kind: "organizations" | "projects", name: string): PlaneClient;
  /** Exchanges the access token, whatever the bearer token is. @throws FILE_UNREADABLE for its file */
  exchangeOnce(signal: AbortSignal): Promise<ExchangeOutcome>;
}

export interface KubeconfigAccess extends Access {
  readonly client: StreamingClient;
  /** As the kubeconfig has them when it is opened. */
  readonly server: string;
  readonly namespace: string | undefined;
}

/** The server sends a bookmark about once a minute: a longer silence means a lost connection. */
const silentMs = 150_000;
const connectLimitMs = 10_000;

/**
 * The platform's API: its access token, exchanged, and clients of its control planes.
 *
 * @throws FILE_UNREADABLE for `caFile`
 */
export function openApi(options: ApiOptions): ApiAccess {
  const { groupDomain, clock, log, random = Math.random } = options;
  const apiUrl = options.apiUrl.replace(/\/+$/, "");
  const { caFile = "", ca } = options;
  const context = new RenewedContext(
    () => lookOfFile(caFile),
    () => {
      const own = caFile === "" ? [] : [readPem({ file: caFile }, "controlPlane.caFile")];
      return { ca: [...systemAuthorities(), ...own, ...(ca === undefined ? [] : [ca])] };
    },
  );
  const dispatcher = createDispatcher(context, {});
  const accessToken = new SecretFile(options.accessTokenFile, clock);
  const exchange = (token: string, signal: AbortSignal) => exchangeToken(apiUrl, token, dispatcher, signal);
  const bearer = createExchangingSource({
    accessToken,
    exchange,
    clock,
    log,
    random,
  });
  const throttle = new Throttle(clock);
  const client = (kind: "organizations" | "projects", name: string): PlaneClient => {
    const base = `${apiUrl}/apis/resourcemanager.${groupDomain}/v1alpha/${kind}/${name}/control-plane`;
    return createPlaneClient({ base, bearer, dispatcher, throttle, silentMs });
  };
  const exchangeOnce = async (signal: AbortSignal) => exchange(await accessToken.value(signal), signal);
  return { bearer, client, exchangeOnce, close: () => dispatcher.destroy() };
}

/**
 * Any Kubernetes API server, reached through a kubeconfig.
 *
 * @throws FILE_UNREADABLE, INVALID_CONFIGURATION for the kubeconfig and the files it names
 */
export function openKubeconfig({
  kubeconfig,
  clock,
  log,
  random = Math.random,
}: KubeconfigOptions): KubeconfigAccess {
  const file = new KubeconfigFile(kubeconfig);
  const access = file.access();
  const context = new RenewedContext(
    () => file.tlsLook(),
    () => file.tls(),
  );
  const dispatcher = createDispatcher(context, {
    rejectUnauthorized: !access.insecureSkipVerify,
    servername: access.serverName,
  });
  const bearer = bearerOf(file, { clock, log, random });
  const throttle = new Throttle(clock);
  const client = createPlaneClient({ base: access.server, bearer, dispatcher, throttle, silentMs });
  const { server, namespace } = access;
  return { bearer, client, server, namespace, close: () => dispatcher.destroy() };
}

/**
 * Every connection uses the current TLS context. A connector caches TLS sessions, which belong to the
 * certificates they began with: a new context gets a new connector.
 *
 * @throws the context's error when it cannot be created
 */
function createDispatcher(
  context: RenewedContext,
  options: { readonly rejectUnauthorized?: boolean; readonly servername?: string | undefined },
): Agent {
  const connectorWith = (secureContext: SecureContext) => ({
    secureContext,
    connect: buildConnector({ timeout: connectLimitMs, ...options, secureContext }),
  });
  let connector = connectorWith(context.current());
  return new Agent({
    connect: (to, callback) => {
      const secureContext = context.current();
      if (secureContext !== connector.secureContext) connector = connectorWith(secureContext);
      connector.connect(to, callback);
    },
  });
}

function bearerOf(
  file: KubeconfigFile,
  common: Pick<ExchangingOptions, "clock" | "log" | "random">,
): TokenProvider {
  const { credentials, server } = file.access();
  const asItIs = async (text: string): Promise<ExchangeOutcome> => {
    const expiresMs = jwtExpiry(text);
    return { outcome: "exchanged", bearer: { text, expiresMs } };
  };
  const nothing = { value: async () => "" };
  switch (credentials.kind) {
    case "none":
    case "certificate":
      return noBearer;
    case "token": {
      const value = async () => {
        const now = file.access().credentials;
        return now.kind === "token" ? now.token : credentials.token;
      };
      return createExchangingSource({ ...common, accessToken: { value }, exchange: asItIs });
    }
    case "token-file": {
      const accessToken = new SecretFile(credentials.file, common.clock);
      return createExchangingSource({ ...common, accessToken, exchange: asItIs });
    }
    case "exec": {
      const exchange = (_: string, signal: AbortSignal) =>
        execCredential(credentials, { server, ca: file.authority() }, signal);
      return createExchangingSource({ ...common, accessToken: nothing, exchange });
    }
  }
}
