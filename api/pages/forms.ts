import { escapeHtml } from './layout.ts';

export type Faults = readonly string[];

export function hidden(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join('\n');
}

/** Focused, so that screen readers read the faults at once. Fields refer to the id. */
export function alertOf(faults: Faults): string {
  if (faults.length === 0) return '';
  const [first] = faults;
  const told =
    faults.length === 1
      ? `<p>${escapeHtml(first!)}</p>`
      : `<ul>${faults.map((fault) => `<li>${escapeHtml(fault)}</li>`).join('')}</ul>`;
  return `<div class="alert" role="alert" id="faults" tabindex="-1" autofocus>${told}</div>`;
}

export const NEW_PASSWORD_HINT = 'At least 12 characters of any kind. A few unusual words together work well.';

interface Field {
  name: string;
  label: string;
  type: 'text' | 'password';
  autocomplete: 'username' | 'current-password' | 'new-password';
  value?: string;
  hint?: string;
  /** Further attributes of the `input` element, as HTML. */
  more?: string;
}

export function field({ name, label, type, autocomplete, value = '', hint, more = '' }: Field, faults: Faults): string {
  const described = [faults.length > 0 ? 'faults' : '', hint === undefined ? '' : `${name}-hint`].filter(Boolean);
  const attributes = [
    `id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" required`,
    value === '' ? '' : `value="${escapeHtml(value)}"`,
    described.length === 0 ? '' : `aria-describedby="${described.join(' ')}"`,
    faults.length === 0 ? '' : 'aria-invalid="true"',
    more,
  ];
  return `<label for="${name}">${label}</label>
${hint === undefined ? '' : `<p class="hint" id="${name}-hint">${hint}</p>\n`}<input ${attributes.filter(Boolean).join(' ')}>`;
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

/** Lets a password manager find the password of the account. */
export function accountField(email: string): string {
  return `<input type="text" autocomplete="username" value="${escapeHtml(email)}" readonly hidden>`;
}

/** Screen readers read the title first. */
export function titleOf(title: string, faults: Faults): string {
  return faults.length === 0 ? title : `Error: ${title}`;
}
