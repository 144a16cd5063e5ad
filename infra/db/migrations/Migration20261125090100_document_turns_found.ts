import { Migration } from '@mikro-orm/migrations';

const INDEXES = {
  documents_of_owner_received: '(owner_id, received_at)',
  documents_of_app_received: '(app_id, received_at) where app_id is not null',
  documents_in_progress: `(owner_id, app_id) where status = 'processing'`,
  documents_owner_turn: '(owner_id, claimed_at)',
  documents_party_turn: '(coalesce(app_id, owner_id), claimed_at)',
};

/** Indexes for the upload limits, and for choosing the next document to read. */
export class Migration20261125090100_document_turns_found extends Migration {
  override up(): void {
    for (const [name, on] of Object.entries(INDEXES)) {
      this.addSql(`drop index concurrently if exists ${name}`);
      this.addSql(`create index concurrently ${name} on documents ${on}`);
    }
  }

  override isTransactional(): boolean {
    return false;
  }
}
