import { Migration } from '@mikro-orm/migrations';

/**
 * The application whose limit counts a document, its real upload time (`uploaded_at` is business time), and when it was
 * last claimed. All are null in earlier documents, which count towards no limit.
 */
export class Migration20261125090000_document_turns extends Migration {
  override up(): void {
    this.addSql(`
      alter table documents
        add column app_id text null,
        add column received_at timestamptz(3) null,
        add column claimed_at timestamptz(3) null`);
    // The default covers documents stored by the previous version, which does not set this column.
    this.addSql('alter table documents alter column received_at set default now()');
  }
}
