import { join } from "node:path";
import { type PinnedClient } from "../client-cache.ts";

/** A real agent program, ready to be run headless against the fake model. */
export interface Client {
  readonly host: string;
  readonly release: PinnedClient;
  /** Runs a JavaScript client that wants a newer Node than ours. */
  readonly node?: PinnedClient;
  /** The library for plugins, which the client would download into these folders at its start. */
  readonly pluginLibrary?: {
    readonly spec: string;
    readonly folders: (place: ClientPlace) => readonly string[];
  };
  /** Does not wait for the hook of a session's start, or has none: the files may have changed when it looks. */
  readonly isNotAwaited?: true;
  readonly setUp: (place: ClientPlace) => ClientSetUp;
}

export interface ClientPlace {
  readonly home: string;
  readonly project: string;
  readonly modelUrl: string;
}

interface ClientSetUp {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files below the home directory. */
  readonly files: Readonly<Record<string, string>>;
}

export const NODE_22: PinnedClient = { package: "node", version: "22.23.3" };

export const CODEX: Client = {
  host: "codex",
  release: { package: "@openai/codex", version: "0.169.0" },
  setUp: ({ home, project, modelUrl }) => ({
    // The flag stands in for the user's own review in /hooks.
    args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--json", "say hi"],
    env: { CODEX_HOME: join(home, ".codex"), FAKE_KEY: "x" },
    files: {
      ".codex/config.toml": [
        'model = "fake-model"',
        'model_provider = "fake"',
        "[model_providers.fake]",
        'name = "fake"',
        `base_url = "${modelUrl}/v1"`,
        'wire_api = "responses"',
        'env_key = "FAKE_KEY"',
        "request_max_retries = 0",
        "stream_max_retries = 0",
        `[projects.${JSON.stringify(project)}]`,
        'trust_level = "trusted"',
        "",
      ].join("\n"),
    },
  }),
};

export const GEMINI: Client = {
  host: "gemini",
  release: { package: "@google/gemini-cli", version: "0.61.0" },
  setUp: ({ modelUrl }) => ({
    args: ["-p", "say hi", "--yolo"],
    env: {
      GEMINI_API_KEY: "x",
      GOOGLE_GEMINI_BASE_URL: modelUrl,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      NO_BROWSER: "1",
    },
    files: {
      ".gemini/settings.json": JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        telemetry: { enabled: false },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
        model: { name: "gemini-2.5-flash" },
      }),
    },
  }),
};

export const QWEN: Client = {
  host: "qwen",
  release: { package: "@qwen-code/qwen-code", version: "0.24.4" },
  node: NODE_22,
  setUp: ({ modelUrl }) => ({
    args: ["-p", "say hi"],
    env: { OPENAI_API_KEY: "x", OPENAI_BASE_URL: `${modelUrl}/v1`, OPENAI_MODEL: "fake-model" },
    files: {
      ".qwen/settings.json": JSON.stringify({
        security: { auth: { selectedType: "openai" } },
        telemetry: { enabled: false },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      }),
    },
  }),
};

/** A version whose `stop_hook_active` is always true. */
export const OLD_QWEN: Client = {
  ...QWEN,
  release: { package: "@qwen-code/qwen-code", version: "0.15.10" },
  isNotAwaited: true,
};

export const COPILOT: Client = {
  host: "copilot",
  release: { package: "@github/copilot", version: "1.0.102", command: "copilot" },
  setUp: ({ modelUrl }) => ({
    args: ["-p", "say hi", "--allow-all-tools", "--no-color", "--disable-builtin-mcps", "--trust-folder"],
    env: {
      COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
      COPILOT_PROVIDER_API_KEY: "x",
      COPILOT_MODEL: "fake-model",
      COPILOT_AUTO_UPDATE: "false",
      COPILOT_OFFLINE: "true",
    },
    files: {},
  }),
};

export const DROID: Client = {
  host: "droid",
  release: { package: "@factory/cli-linux-x64", version: "0.225.2", file: "bin/droid" },
  setUp: ({ modelUrl }) => ({
    args: ["exec", "-m", "custom:fake-0", "say hi"],
    env: { FACTORY_AIRGAP_ENABLED: "true", FACTORY_DROID_AUTO_UPDATE_ENABLED: "false" },
    files: {
      ".factory/settings.json": JSON.stringify({
        customModels: [
          {
            model: "fake-model",
            id: "custom:fake-0",
            index: 0,
            displayName: "fake",
            baseUrl: `${modelUrl}/v1`,
            apiKey: "x",
            provider: "generic-chat-completion-api",
            maxOutputTokens: 1000,
          },
        ],
      }),
    },
  }),
};

export const OPENCODE: Client = {
  host: "opencode",
  release: { package: "opencode-ai", version: "1.18.33" },
  pluginLibrary: {
    spec: "@opencode-ai/plugin@1.18.33",
    folders: ({ home, project }) => [join(home, ".config/opencode"), join(project, ".opencode")],
  },
  setUp: ({ modelUrl }) => ({
    args: ["run", "say hi"],
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
    files: { ".config/opencode/opencode.json": openCodeSettings(modelUrl) },
  }),
};

/** The package of the program itself: its wrapper asks for a newer one that is not published for every platform. */
export const KILO: Client = {
  host: "kilo",
  release: { package: "@kilocode/cli-linux-x64", version: "7.7.9", file: "bin/kilo" },
  setUp: ({ modelUrl }) => ({
    args: ["run", "say hi"],
    env: { KILO_DISABLE_AUTOUPDATE: "1", KILO_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
    files: { ".config/kilo/kilo.json": openCodeSettings(modelUrl) },
  }),
};

function openCodeSettings(modelUrl: string): string {
  const options = { baseURL: `${modelUrl}/v1`, apiKey: "x" };
  const models = { "fake-model": { name: "fake-model", tool_call: true } };
  return JSON.stringify({
    autoupdate: false,
    share: "disabled",
    model: "fake/fake-model",
    small_model: "fake/fake-model",
    provider: { fake: { npm: "@ai-sdk/openai-compatible", name: "fake", options, models } },
  });
}

export const GROK: Client = {
  host: "grok",
  release: { package: "@xai-official/grok", version: "1.0.41", file: "bin/grok-native" },
  isNotAwaited: true,
  setUp: ({ modelUrl }) => ({
    args: ["-p", "say hi", "-m", "fake", "--always-approve"],
    // Stands in for the user's own trust in the folder.
    env: { XAI_API_KEY: "x", GROK_DISABLE_AUTOUPDATE: "1", GROK_FOLDER_TRUST: "0" },
    files: {
      ".grok/config.toml": [
        "[models]",
        'default = "fake"',
        "[model.fake]",
        'model = "fake-model"',
        `base_url = "${modelUrl}/v1"`,
        'name = "fake"',
        'api_key = "x"',
        "context_window = 128000",
        "",
      ].join("\n"),
    },
  }),
};

export const KIMI: Client = {
  host: "kimi",
  release: { package: "@moonshot-ai/kimi-code", version: "2.1.0" },
  node: NODE_22,
  setUp: ({ modelUrl }) => ({
    args: ["-p", "say hi"],
    env: { KIMI_CODE_NO_AUTO_UPDATE: "1" },
    files: {
      ".kimi-code/config.toml": [
        'default_model = "fake"',
        "[providers.fake]",
        'type = "openai"',
        `base_url = "${modelUrl}/v1"`,
        'api_key = "x"',
        "[models.fake]",
        'provider = "fake"',
        'model = "fake-model"',
        "max_context_size = 100000",
        "",
      ].join("\n"),
    },
  }),
};

export const PI: Client = {
  host: "pi",
  release: { package: "@earendil-works/pi-coding-agent", version: "0.87.1" },
  node: NODE_22,
  setUp: ({ modelUrl }) => ({
    args: ["-p", "--approve", "--provider", "fake", "--model", "fake-model", "say hi"],
    env: { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" },
    files: {
      ".pi/agent/models.json": JSON.stringify({
        providers: {
          fake: {
            baseUrl: `${modelUrl}/v1`,
            api: "openai-completions",
            apiKey: "x",
            models: [{ id: "fake-model" }],
          },
        },
      }),
    },
  }),
};
