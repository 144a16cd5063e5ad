import { isProblem } from '../../../client/src/index.ts';
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

export function facts(pairs: readonly (readonly [name: string, value: string])[]): HTMLElement {
  const rows = pairs.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)));
  return h('dl', { class: 'facts' }, ...rows);
}

const POUNDS = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP' });
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'Europe/London' });
const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: 'Europe/London' });

export const pounds = (pence: number): string => POUNDS.format(pence / 100);
export const day = (date: string): string => DAY.format(new Date(date));
export const time = (instant: string): string => TIME.format(new Date(instant));

/** Converts pounds to pence. */
export const pence = (form: FormData, name: string): number => Math.round(Number(form.get(name)) * 100);

/** Shows the action's error in the form. While the action runs, ignores further submissions. */
export function onSubmit(id: string, action: (form: FormData) => Promise<void>): void {
  const form = byId(id) as HTMLFormElement;
  const alert = h('div', { role: 'alert' });
  form.append(alert);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (form.ariaBusy === 'true') return;
    // The button stays enabled, because a disabled button loses the keyboard focus.
    form.ariaBusy = 'true';
    alert.replaceChildren();
    void action(new FormData(form))
      .catch((error: unknown) => alert.replaceChildren(...refusal(error)))
      .finally(() => (form.ariaBusy = 'false'));
  });
}

/** Returns the message for an error. If the person's sign-in has ended, also goes to the start page. */
export function refusal(error: unknown): Node[] {
  if (isProblem(error) && error.status === 401) forget();
  const words = isProblem(error) ? error.detail : error instanceof Error ? error.message : String(error);
  return [h('p', { class: 'alert' }, words), ...(error instanceof NoServiceError ? [howToTrust()] : [])];
}

function howToTrust(): Node {
  const link = h('a', { href: `${SERVICE}/docs` }, `${SERVICE}/docs`);
  const then = ' and accept it there. Then come back and sign in.';
  return h('p', {}, 'Your browser may not know the certificate of a local service. Open ', link, then);
}
