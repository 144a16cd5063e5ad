import { Migration } from '@mikro-orm/migrations';

export class Migration20261126120100_document_queues_found extends Migration {
  override up(): void {
    this.addSql('drop index concurrently if exists documents_queue_turn');
    this.addSql(
      'create index concurrently documents_queue_turn on documents (coalesce(shared_queue, app_id, owner_id), claimed_at)',
    );
  }

  override isTransactional(): boolean {
    return false;
  }
}
