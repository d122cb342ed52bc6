/** A stop that needs no run asks git little, and loads half as much. */
export const loadQuestions = () => import("./questions.ts");
