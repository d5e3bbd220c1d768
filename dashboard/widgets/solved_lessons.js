/* Say how many lessons of a collection this browser has solved, and lead to the first of the others; `learn.js` of the replay stores them. */
export default function showSolved({ data, parentElement, setTriggerValue }) {
  let solved = [];
  try {
    solved = [JSON.parse(localStorage.getItem(`reroll-solved ${data.collection}`)) ?? []].flat();
  } catch {
    // nothing can be stored here
  }
  const next = data.lessons.findIndex((lesson) => !solved.includes(lesson));
  const done = data.lessons.filter((lesson) => solved.includes(lesson)).length;
  const line = document.createElement("p");
  line.textContent = next < 0 ? `All ${done} solved in this browser` : `${done} of ${data.lessons.length} solved in this browser`;
  const button = document.createElement("button");
  button.textContent = next < 0 ? "Start again" : done ? "Go on" : "Start";
  button.addEventListener("click", () => setTriggerValue("chosen", Math.max(0, next)));
  const row = parentElement.querySelector(".lessons") ?? document.createElement("div");
  row.className = "lessons";
  row.replaceChildren(line, button);
  parentElement.append(row);
}
