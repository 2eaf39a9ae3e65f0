import type { Clock } from "../../../base/core/clock.ts";
import type { EngineClient } from "./engine-client.ts";
import type { EngineInventory } from "./engine-inventory.ts";

/** What every part of the runtime needs of its engine. */
export interface EngineParts {
  readonly client: EngineClient;
  readonly inventory: EngineInventory;
  readonly platform: string;
  readonly clock: Clock;
  /** How long containers may take to end on their own. */
  readonly graceMs: number;
}
