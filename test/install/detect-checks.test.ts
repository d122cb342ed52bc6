import { expect, test } from "vitest";
import { detectChecks, isManifest } from "../../src/install/detect/detect-checks.ts";
import { Project } from "../../src/install/detect/project.ts";
import { PROJECTS } from "./projects.ts";

test.each(PROJECTS)("finds the checks of $kind", ({ files, checks }) => {
  const texts = Object.entries(files).filter(([name]) => isManifest(name));

  const detected = detectChecks(new Project(Object.keys(files), new Map(texts)));

  expect(Object.fromEntries(detected.map(({ name, command }) => [name, command]))).toEqual(checks);
});

test("every check names the file that told of it", () => {
  for (const { files } of PROJECTS) {
    const detected = detectChecks(new Project(Object.keys(files), new Map(Object.entries(files))));

    expect(detected.map(({ source }) => source).filter((source) => !(source in files))).toEqual([]);
  }
});

test("tells Create React App that nobody watches", () => {
  const manifest = '{ "scripts": { "test": "react-scripts test" } }';

  expect(detectChecks(new Project(["package.json"], new Map([["package.json", manifest]])))).toEqual([
    { name: "test", command: "npm test", source: "package.json", env: { CI: "true" } },
  ]);
});
