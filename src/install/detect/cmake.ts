import { parse } from "jsonc-parser";
import type { DetectedCheck, Project } from "./project.ts";

interface Preset {
  readonly name?: string;
  readonly hidden?: boolean;
  readonly inherits?: string | readonly string[];
  readonly configurePreset?: string;
  readonly binaryDir?: string;
  readonly steps?: readonly { readonly type?: string; readonly name?: string }[];
  readonly condition?: { readonly type?: string; readonly lhs?: string; readonly rhs?: string };
}

type Presets = Readonly<
  Record<"configurePresets" | "buildPresets" | "testPresets" | "workflowPresets", unknown>
>;

/** Configure, build and test by the presets of the project: a workflow that tests, else the first test preset of this system. */
export function cmakePresets(project: Project): readonly DetectedCheck[] {
  const source = "CMakePresets.json";
  const presets = (parse(project.text(source)) ?? {}) as Presets; // each field is looked at before it is used
  const command = workflow(presets) ?? threeSteps(presets);
  return command === undefined ? [] : [{ name: "test", command, source }];
}

function workflow(presets: Presets): string | undefined {
  const tests = named(presets.workflowPresets).find(({ steps }) =>
    steps?.some(({ type }) => type === "test"),
  );
  const first = tests?.steps?.[0]?.name;
  const isHere = named(presets.configurePresets)
    .filter(isForThisSystem)
    .some(({ name }) => name === first);
  return isHere ? `cmake --workflow --preset ${tests?.name}` : undefined;
}

function threeSteps(presets: Presets): string | undefined {
  const configured = named(presets.configurePresets).filter(isForThisSystem);
  const builds = named(presets.buildPresets);
  for (const test of named(presets.testPresets)) {
    const configure = configured.find(({ name }) => name === test.configurePreset);
    const build = builds.find(({ configurePreset }) => configurePreset === configure?.name);
    const how = build === undefined ? configure && directoryOf(configure) : `--preset ${build.name}`;
    if (configure !== undefined && how !== undefined)
      return `cmake --preset ${configure.name} && cmake --build ${how} && ctest --preset ${test.name}`;
  }
  return undefined;
}

function directoryOf({ binaryDir, name = "" }: Preset): string | undefined {
  const path = binaryDir?.replace("${sourceDir}/", "").replace("${presetName}", name);
  return path === undefined || !/^[\w./+-]+$/.test(path) ? undefined : path;
}

/** The presets that can be asked for, with what they inherit, and names that a shell reads as one word. */
function named(list: unknown): readonly Preset[] {
  const all = Array.isArray(list) ? (list as readonly Preset[]) : []; // fields of other types lead to no command
  return all
    .filter((preset) => typeof preset?.name === "string" && /^[\w.+-]+$/.test(preset.name))
    .filter(({ hidden }) => hidden !== true)
    .map((preset) => resolved(preset, all));
}

/** Of several parents the first one wins. */
function resolved(preset: Preset, all: readonly Preset[], depth = 0): Preset {
  const parents = depth > 10 ? [] : [preset.inherits ?? []].flat();
  const above = parents
    .flatMap((name) => all.filter((one) => one?.name === name))
    .map((one) => resolved(one, all, depth + 1));
  return Object.assign({}, ...above.toReversed(), preset) as Preset; // all of them are presets
}

/** Presets are often for one system: `${hostSystemName}` equals `Windows`. */
function isForThisSystem({ condition }: Preset): boolean {
  if (condition?.lhs !== "${hostSystemName}") return true;
  const isNamed = condition.rhs === SYSTEMS[process.platform];
  return condition.type === "notEquals" ? !isNamed : isNamed;
}

const SYSTEMS: Readonly<Record<string, string>> = { win32: "Windows", darwin: "Darwin", linux: "Linux" };
