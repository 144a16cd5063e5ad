import { escapeHtml, layout, textOf, type HtmlPage } from './layout.ts';

const SHOW_PASSWORD = textOf('show-password.js');

export type Faults = readonly string[];

export function hidden(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join('\n');
}

/** Focused, so that screen readers read the faults at once. Fields refer to the id. */
function alertOf(faults: Faults): string {
  if (faults.length === 0) return '';
  const [first] = faults;
  const list =
    faults.length === 1
      ? `<p>${escapeHtml(first!)}</p>`
      : `<ul>${faults.map((fault) => `<li>${escapeHtml(fault)}</li>`).join('')}</ul>`;
  return `<div class="alert" role="alert" id="faults" tabindex="-1" autofocus>${list}</div>`;
}

interface Field {
  name: string;
  label: string;
  type: 'text' | 'password' | 'date';
  autocomplete: 'username' | 'current-password' | 'new-password' | 'off';
  value?: string;
  hint?: string;
  /** Further attributes of the `input` element, as HTML. */
  more?: string;
  optional?: boolean;
  /** What is wrong with this field, as a sentence. */
  fault?: string | undefined;
}

function field(given: Field, faults: Faults): string {
  const { name, label, type, autocomplete, value = '', hint, more = '', optional = false, fault } = given;
  const described = [
    faults.length > 0 ? 'faults' : '',
    fault === undefined ? '' : `${name}-fault`,
    hint === undefined ? '' : `${name}-hint`,
  ].filter(Boolean);
  const attributes = [
    `id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"${optional ? '' : ' required'}`,
    value === '' ? '' : `value="${escapeHtml(value)}"`,
    described.length === 0 ? '' : `aria-describedby="${described.join(' ')}"`,
    faults.length === 0 && fault === undefined ? '' : 'aria-invalid="true"',
    more,
  ];
  return `<label for="${name}">${label}</label>
${hint === undefined ? '' : `<p class="hint" id="${name}-hint">${hint}</p>\n`}${fault === undefined ? '' : `<p class="fault" id="${name}-fault">${escapeHtml(fault)}</p>\n`}<input ${attributes.filter(Boolean).join(' ')}>`;
}

/** The type is not `email`, because browsers then rewrite domains that are not ASCII. */
export function emailField(value: string, faults: Faults): string {
  return field(
    {
      name: 'email',
      label: 'Email address',
      type: 'text',
      autocomplete: 'username',
      value,
      more: 'inputmode="email" autocapitalize="none" autocorrect="off" spellcheck="false"',
    },
    faults,
  );
}

export function currentPasswordField(faults: Faults): string {
  return field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' }, faults);
}

/** `called` is what the page calls the password. */
export function newPasswordFields(called: 'Password' | 'New password', faults: Faults): string[] {
  const shared = { type: 'password', autocomplete: 'new-password' } as const;
  const hint = 'At least 12 characters of any kind. A few unusual words together work well.';
  return [
    field({ ...shared, name: 'password', label: called, hint, more: 'minlength="12"' }, faults),
    field({ ...shared, name: 'password_again', label: `Repeat the ${called.toLowerCase()}` }, faults),
  ];
}

export function plainField(given: Omit<Field, 'autocomplete'>): string {
  return field({ ...given, autocomplete: 'off' }, []);
}

/** Lets a password manager find the password of the account. */
export function accountField(email: string): string {
  return `<input type="text" autocomplete="username" value="${escapeHtml(email)}" readonly hidden>`;
}

interface FormPage {
  title: string;
  heading?: string;
  /** HTML above the form. */
  lead: string;
  faults?: Faults;
  action: string;
  given: Readonly<Record<string, string>>;
  /** The visible fields, as HTML. */
  fields?: readonly string[];
  button: string;
  /** HTML below the form. */
  after?: string;
  /** Further CSP sources, if the form leads to another site. */
  formTargets?: readonly string[];
}

export function formPage(page: FormPage): HtmlPage {
  const { title, heading = title, lead, faults = [], action, given, fields = [], button, after = '' } = page;
  return layout(
    // Screen readers read the title first.
    faults.length === 0 ? title : `Error: ${title}`,
    `<main>
<h1>${escapeHtml(heading)}</h1>
${lead}
${alertOf(faults)}
<form method="post" action="${action}">
${[hidden(given), ...fields].join('\n')}
<button type="submit">${button}</button>
</form>
${after}
</main>`,
    {
      door: true,
      formTargets: page.formTargets ?? [],
      ...(fields.some((field) => field.includes('type="password"')) && { inlineScript: SHOW_PASSWORD }),
    },
  );
}
