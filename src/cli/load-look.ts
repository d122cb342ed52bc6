/** For the table, and for what the plugin's users ask in the chat. */
export const loadLook = () => import("./commands/look.ts");
