import { isSignedOut, sentenceOf } from './errors.ts';
import { forget, NoServiceError, SERVICE } from './sign-in.ts';

type Attributes = Readonly<Record<string, string>>;

export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no #${id}.`);
  return found;
}

/** Strings become text nodes, so that no text from the service can become markup. */
export function h(tag: string, attributes: Attributes, ...children: (Node | string)[]): HTMLElement {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag: string, attributes: Attributes, ...children: (Node | string)[]): SVGElement {
  return filled(document.createElementNS<'svg'>('http://www.w3.org/2000/svg', tag as 'svg'), attributes, children);
}

function filled<T extends Element>(element: T, attributes: Attributes, children: (Node | string)[]): T {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export const p = (words: string, kind = ''): HTMLElement => h('p', { class: kind }, words);

/** Two texts on one line, the second on the right. */
export const line = (left: Node | string, right: Node | string, kind = ''): HTMLElement =>
  h('p', { class: `line ${kind}` }, h('span', {}, left), h('span', { class: 'amount' }, right));

export function facts(pairs: readonly (readonly [name: string, value: string])[]): HTMLElement {
  return h(
    'dl',
    { class: 'facts' },
    ...pairs.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
  );
}

export const textOf = (form: FormData, name: string): string => (form.get(name) as string).trim();

/** Keeps the selected option if the new list has it. */
export function options(id: string, pairs: readonly (readonly [value: string, text: string])[]): void {
  const select = byId(id) as HTMLSelectElement;
  const chosen = select.value;
  select.replaceChildren(...pairs.map(([value, text]) => h('option', { value }, text)));
  if (pairs.some(([value]) => value === chosen)) select.value = chosen;
}

/** Shows the action's error in the form. */
export function onSubmit(id: string, action: (form: FormData) => Promise<void>): void {
  const form = byId(id) as HTMLFormElement;
  const [button, alert] = [form.querySelector('button')!, h('div', { role: 'alert' })];
  form.append(alert);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void busily(button, alert, () => action(new FormData(form)));
  });
}

/** Shows the action's error below the button. */
export function actionButton(label: string, busy: string, action: () => Promise<void>): HTMLElement {
  const button = h('button', { type: 'button', class: 'quiet small', 'data-busy': busy }, label);
  const alert = h('div', { role: 'alert' });
  button.addEventListener('click', () => void busily(button, alert, action));
  return h('div', {}, button, alert);
}

/** While the action runs, the button says so and ignores further presses. */
async function busily(button: HTMLElement, alert: HTMLElement, action: () => Promise<void>): Promise<void> {
  if (button.ariaBusy === 'true') return;
  const label = button.textContent;
  // The button stays enabled, because a disabled button loses the keyboard focus.
  button.ariaBusy = 'true';
  button.textContent = button.dataset.busy ?? label;
  alert.replaceChildren();
  await action().catch((error: unknown) => alert.replaceChildren(...refusal(error)));
  button.ariaBusy = 'false';
  button.textContent = label;
}

/** Returns the message for an error. If the person's sign-in has ended, also goes to the start page. */
export function refusal(error: unknown): Node[] {
  if (isSignedOut(error)) forget();
  if (!(error instanceof NoServiceError)) return [p(sentenceOf(error), 'alert')];
  const trust = 'Your browser may not know the certificate of a local service. Accept it there, then come back.';
  const link = h('a', { class: 'button quiet', href: `${SERVICE}/docs` }, `Open ${SERVICE}/docs`);
  return [p(error.message, 'alert'), p(trust), link];
}
