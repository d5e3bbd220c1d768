/*
 * Save the picture of a chart: as SVG, which the server draws when it is asked, or as PNG, which the browser draws from that.
 */
const KINDS = ["PNG", "SVG"];
const PIXELS_PER_UNIT = 2; // sharp on paper and on screens with many pixels
const MOST_DRAWINGS = 20;
const EQUAL_DRAWINGS = 2; // drawings in a row that change nothing
const MILLISECONDS_BETWEEN_DRAWINGS = 60;

export default function offerPicture({ data, parentElement, setTriggerValue }) {
  const { name, title, kind, svg, token } = data;
  const place = parentElement.querySelector(".picture") ?? parentElement.appendChild(buildButtons());
  for (const button of place.querySelectorAll("button")) {
    button.setAttribute("aria-label", `Save picture as ${button.textContent}: ${title}`);
  }
  place.askFor = (wanted) => setTriggerValue("kind", wanted); // a listener is added once, and calls the newest one
  if (svg && place.dataset.saved !== token) save(svg, kind, name); // the script also runs when the theme changes
  place.dataset.saved = token ?? "";
}

function buildButtons() {
  const place = document.createElement("div");
  place.className = "picture";
  const label = document.createElement("span");
  label.textContent = "Save picture";
  label.ariaHidden = "true";
  place.append(label, ...KINDS.map(buildButton));
  return place;
}

function buildButton(kind) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = kind;
  button.addEventListener("click", () => button.parentElement.askFor(kind));
  return button;
}

async function save(svg, kind, name) {
  const picture = new Blob([svg], { type: "image/svg+xml" });
  download(kind === "SVG" ? picture : await drawPixels(picture), `${name}.${kind.toLowerCase()}`);
}

/** Draw a picture as PNG. Its fonts are ready some time after the image, which says nothing of it: it is drawn until they change nothing more. */
async function drawPixels(picture) {
  const address = URL.createObjectURL(picture);
  const canvas = document.createElement("canvas");
  let [drawn, equal] = ["", 0];
  for (let times = 0; times < MOST_DRAWINGS && equal < EQUAL_DRAWINGS; times += 1) {
    const image = new Image();
    image.src = address;
    await image.decode();
    canvas.width = image.naturalWidth * PIXELS_PER_UNIT;
    canvas.height = image.naturalHeight * PIXELS_PER_UNIT;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const pixels = canvas.toDataURL();
    [drawn, equal] = [pixels, pixels === drawn ? equal + 1 : 0];
    await new Promise((resolve) => { setTimeout(resolve, MILLISECONDS_BETWEEN_DRAWINGS); });
  }
  URL.revokeObjectURL(address);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function download(file, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
