import { Migration } from '@mikro-orm/migrations';

export class Migration20261126120000_document_queues extends Migration {
  override up(): void {
    this.addSql('alter table documents add column shared_queue text null');
  }
}
