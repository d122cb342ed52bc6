/** The pages by what their reader wants. */
export const SIDEBAR = [
  {
    text: "Start",
    items: [
      { text: "What it is", link: "/" },
      { text: "Getting started", link: "/getting-started" },
      { text: "Troubleshooting", link: "/troubleshooting" },
      { text: "Installation", link: "/install" },
    ],
  },
  {
    text: "Agents",
    items: [
      { text: "All agents", link: "/hosts" },
      { text: "Claude Code", link: "/claude-code" },
      ...[
        ["Codex", "codex"],
        ["Copilot CLI", "copilot"],
        ["Cursor", "cursor"],
        ["Factory Droid", "droid"],
        ["Gemini CLI", "gemini"],
        ["Grok Build", "grok"],
        ["Kilo", "kilo"],
        ["Kimi Code", "kimi"],
        ["OpenCode", "opencode"],
        ["Pi", "pi"],
        ["Qwen Code", "qwen"],
        ["VS Code chat", "vscode"],
        ["Zed and other editors (ACP)", "acp"],
      ].map(([text, file]) => ({ text, link: `/hosts/${file}` })),
    ],
  },
  {
    text: "Guides",
    items: [
      { text: "Configuration", link: "/configuration" },
      { text: "Feedback", link: "/feedback" },
      { text: "Baselines", link: "/baselines" },
      { text: "Guards", link: "/guards" },
      { text: "Trust", link: "/trust" },
      { text: "Reviews", link: "/reviews" },
      { text: "Proof", link: "/proof" },
      { text: "Teams, CI and workers", link: "/fleet" },
      { text: "Report and dashboard", link: "/dashboard" },
      { text: "OpenTelemetry", link: "/telemetry" },
      { text: "SDK", link: "/sdk" },
      { text: "SDK API", link: "/sdk-api" },
      { text: "Clojure: brepl", link: "/brepl" },
    ],
  },
  {
    text: "Coming from",
    items: [
      { text: "Claude Code hooks", link: "/i-use/claude-code-hooks" },
      { text: "Audit of your own hooks", link: "/audit" },
      { text: "The earlier agent-gauntlet", link: "/i-use/agent-gauntlet" },
      { text: "lefthook", link: "/i-use/lefthook" },
      { text: "pre-commit", link: "/i-use/pre-commit" },
    ],
  },
  {
    text: "Reference",
    items: [
      { text: "Configuration", link: "/configuration-reference" },
      { text: "Commands", link: "/commands" },
      { text: "Command reference", link: "/commands-reference" },
      { text: "JSON output", link: "/json-output" },
      { text: "How it decides", link: "/how-it-decides" },
      { text: "Systems", link: "/platforms" },
      { text: "Compatibility", link: "/compatibility" },
    ],
  },
  {
    text: "Contributing",
    collapsed: true,
    items: [
      { text: "Architecture", link: "/ARCHITECTURE" },
      { text: "Dictionary", link: "/dictionary" },
      { text: "Parsers", link: "/parsers" },
      { text: "Performance", link: "/PERFORMANCE" },
    ],
  },
];
