import { render } from "preact";
import type { PageData } from "../page-data.ts";
import { Dashboard } from "./dashboard.tsx";
import { RunView } from "./run-view.tsx";

const data = JSON.parse(document.querySelector("#data")?.textContent ?? "") as PageData; // our own program wrote it

render(
  data.kind === "run" ? <RunView page={data} /> : <Dashboard version={data.version} />,
  document.querySelector("#page") ?? document.body,
);
