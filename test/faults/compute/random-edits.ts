import { sleep } from "../../../src/base/core/clock.ts";
import { fieldAt, objectsIn } from "../../../src/kube-server/api/fields.ts";
import type { TestPlatform } from "../../support/plane/platform.ts";
import { randomInteger } from "../../support/random.ts";
import { type City, cities, DeclaredProject, type DeclaredWorkload } from "./declared-project.ts";
import type { PersistentClient } from "./persistent-client.ts";

export interface RandomEditsOptions {
  readonly platform: TestPlatform;
  readonly organization: PersistentClient;
  /** Of every network of every project. */
  readonly ipv4Range: string;
  readonly random: () => number;
  print(text: string): void;
}

/** Those that occur more than once are more likely. */
const stepKinds = [
  ...(["declare", "declare", "declare", "declare", "declare", "declare", "scale", "scale", "scale"] as const),
  ...(["template", "template", "template", "move", "move", "delete", "delete", "page", "page"] as const),
  ...(["drift", "drift", "drift", "drift", "drift", "drift", "project"] as const),
];
type StepKind = (typeof stepKinds)[number];

/** @returns what was done, or undefined if there was nothing to do it with */
type Step = (project: DeclaredProject, random: () => number) => Promise<string | undefined>;

const pauseMs = [100, 1_000] as const;
const projectCount = 2;
const workloadNames = ["a", "b", "large"] as const;
const mostReplicas = 2;

/** The user and a careless colleague: declares and changes Workloads at random, and edits what they own. */
export class RandomEdits {
  readonly projects: DeclaredProject[] = [];
  /** Number of steps by kind. */
  readonly counts = new Map<string, number>();
  readonly #options: RandomEditsOptions;
  #created = 0;
  readonly #steps: Readonly<Record<StepKind, Step>> = {
    declare: (project) => this.#declare(project),
    scale: (project, random) =>
      this.#change(project, () => ({ replicas: randomInteger(random, 1, mostReplicas) })),
    move: (project) => this.#change(project, () => ({ cities: this.#someCities() })),
    template: (project) => this.#change(project, ({ version }) => ({ version: version + 1 })),
    delete: (project) => this.#delete(project),
    page: (project) => this.#publish(project),
    drift: (project) => this.#drift(project),
    project: (project) => this.#replaceProject(project),
  };

  constructor(options: RandomEditsOptions) {
    this.#options = options;
  }

  /** Takes one step after another until the signal. */
  async run(until: AbortSignal): Promise<void> {
    const { random } = this.#options;
    while (this.projects.length < projectCount) await this.#createProject();
    for (;;) {
      await sleep(randomInteger(random, ...pauseMs), until).catch(() => undefined);
      if (until.aborted) return;
      const [kind, project] = [this.#pick(stepKinds), this.#pick(this.projects)];
      if (kind === undefined || project === undefined) continue;
      const done = await this.#steps[kind](project, random);
      if (done === undefined) continue;
      this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
      this.#options.print(`${project.name}: ${done}`);
    }
  }

  /** Deletes everything that is declared. */
  async removeAll(): Promise<void> {
    for (const { name } of this.projects) await this.#options.organization.delete("project", name);
  }

  async #createProject(): Promise<string> {
    const { platform, organization, ipv4Range, print } = this.#options;
    const project = new DeclaredProject(`shop-${++this.#created}`, platform);
    await project.create(organization, ipv4Range);
    this.projects.push(project);
    print(`project ${project.name} created`);
    await this.#declare(project);
    return project.name;
  }

  async #declare(project: DeclaredProject): Promise<string | undefined> {
    const name = this.#pick(workloadNames.filter((each) => !project.workloads.has(each)));
    // One of the same name may still be on its way out.
    if (name === undefined || (await project.client.get("workload", name)) !== undefined) return undefined;
    const replicas = randomInteger(this.#options.random, 1, mostReplicas);
    const isLarge = name === "large";
    await project.declare(name, { cities: this.#someCities(), replicas, version: 1, isLarge });
    return this.#describe(project, name);
  }

  async #change(
    project: DeclaredProject,
    change: (before: DeclaredWorkload) => Partial<DeclaredWorkload>,
  ): Promise<string | undefined> {
    const name = this.#pick([...project.workloads.keys()]);
    const before = name === undefined ? undefined : project.workloads.get(name);
    if (name === undefined || before === undefined) return undefined;
    await project.declare(name, { ...before, ...change(before) });
    return this.#describe(project, name);
  }

  async #delete(project: DeclaredProject): Promise<string | undefined> {
    const name = this.#pick([...project.workloads.keys()]);
    if (name === undefined) return undefined;
    await project.remove(name);
    return `workload ${name} deleted`;
  }

  async #publish(project: DeclaredProject): Promise<string> {
    const page = String(Number(project.page) + 1);
    await project.publish(page);
    return `page ${page}`;
  }

  /** Edits or deletes what a controller owns. */
  async #drift(project: DeclaredProject): Promise<string | undefined> {
    const { random } = this.#options;
    const kind = random() < 0.6 ? "instance" : "deployment";
    const object = this.#pick(await project.client.list(kind));
    const name = object?.metadata.name;
    if (name === undefined) return undefined;
    if (random() < 0.5) {
      await project.client.delete(kind, name);
      return `${kind} ${name} deleted`;
    }
    const path = ["spec", "runtime", "sandbox", "containers"];
    const env = [{ name: "VERSION", value: "edited" }];
    const containers = objectsIn(fieldAt(object, path)).map((container) => ({ ...container, env }));
    const edit =
      kind === "deployment"
        ? { scaleSettings: { minReplicas: 3 } }
        : { runtime: { sandbox: { containers } } };
    await project.client.merge(kind, name, { spec: edit });
    return `${kind} ${name} edited`;
  }

  async #replaceProject(project: DeclaredProject): Promise<string> {
    this.projects.splice(this.projects.indexOf(project), 1);
    await this.#options.organization.delete("project", project.name);
    return `deleted; ${await this.#createProject()} instead`;
  }

  #describe(project: DeclaredProject, name: string): string {
    const workload = project.workloads.get(name);
    return `workload ${name}, version ${workload?.version}, in ${workload?.cities.join(" and ")}, ${workload?.replicas} each`;
  }

  #someCities(): readonly City[] {
    const city = this.#pick(cities);
    return city === undefined || this.#options.random() < 0.4 ? cities : [city];
  }

  #pick<T>(list: readonly T[]): T | undefined {
    return list[randomInteger(this.#options.random, 0, list.length - 1)];
  }
}
