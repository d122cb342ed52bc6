import { expect, test } from "vitest";
import * as z from "zod";
import { globalConfigSchema } from "../../src/config/gauntlet/schema/global-schema.ts";
import { checkSchema, reviewSchema } from "../../src/config/gauntlet/schema/gate-schema.ts";
import { configSchema } from "../../src/config/gauntlet/schema/schema.ts";
import { configurationReference } from "../schema/configuration-reference.ts";

/** The files editors use, by what they describe. `npm run schema` writes them anew. */
const SCHEMAS = {
  config: { schema: configSchema, title: ".gauntlet/config.yml of agent-gauntlet" },
  check: { schema: checkSchema, title: "A check of agent-gauntlet: .gauntlet/checks/<name>.yml" },
  review: {
    schema: reviewSchema,
    title: "Front matter of a review of agent-gauntlet: .gauntlet/reviews/<name>.md",
  },
  "global-config": { schema: globalConfigSchema, title: "~/.config/agent-gauntlet/config.yml" },
};

test.for(Object.entries(SCHEMAS))(
  "schema/%s.schema.json is up to date",
  async ([name, { schema, title }]) => {
    await expect(jsonSchemaOf(schema, title)).toMatchFileSnapshot(`../../schema/${name}.schema.json`);
  },
);

test("docs/configuration-reference.md is up to date", async () => {
  await expect(configurationReference()).toMatchFileSnapshot("../../docs/configuration-reference.md");
});

test.for(Object.entries(SCHEMAS))("every key of the %s schema says what it is for", ([, { schema }]) => {
  expect(undescribedKeys(z.toJSONSchema(schema, { io: "input" }))).toEqual([]);
});

function jsonSchemaOf(schema: z.ZodType, title: string): string {
  const { $schema, ...rest } = z.toJSONSchema(schema.meta({ title }), {
    target: "draft-07",
    io: "input",
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (typeof jsonSchema.propertyNames === "object" && !jsonSchema.propertyNames.pattern)
        delete jsonSchema.propertyNames;
    },
  });
  return `${JSON.stringify({ $schema, ...rest }, undefined, 2)}\n`;
}

function undescribedKeys(schema: z.core.JSONSchema.JSONSchema, path = ""): string[] {
  const keys = Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    if (typeof value === "boolean") return [];
    const inner = undescribedKeys(value, `${path}.${key}`);
    return value.description === undefined ? [`${path}.${key}`, ...inner] : inner;
  });
  const nested = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])].flat();
  return [
    ...keys,
    ...nested.flatMap((value) => (typeof value === "object" ? undescribedKeys(value, path) : [])),
  ];
}
