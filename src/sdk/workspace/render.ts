import type { HostMountPreview } from "./host-mount.ts";

/** Says what is in a workspace, as Markdown for a model. */
export function renderWorkspace(title: string, mounts: readonly HostMountPreview[]): string {
  if (mounts.length === 0) return `## ${title}\n\nYour working directory is empty.`;
  const total = mounts.reduce((sum, mount) => sum + mount.bytesCopied, 0);
  const intro = "Your working directory holds copies of these files:";
  return [`## ${title}`, intro, mounts.flatMap(describeMount).join("\n"), `Total: ${total} bytes`].join(
    "\n\n",
  );
}

const SHOWN = 10;

function describeMount(mount: HostMountPreview): readonly string[] {
  const { mountPath, isDirectory, bytesCopied, entries, entryCount } = mount;
  if (!isDirectory) return [`- ${mountPath} (${bytesCopied} bytes)`];
  const shown = entries.slice(0, SHOWN);
  const more = entryCount - shown.length;
  return [
    `- ${mountPath}/ (${bytesCopied} bytes)`,
    ...shown.map((entry) => `  - ${entry}`),
    ...(more > 0 ? [`  - ... and ${more} more`] : []),
  ];
}
