using Microsoft.EntityFrameworkCore.Migrations;

namespace Poolhouse.EntityFrameworkCore.Internal.Migrations;

/// <summary>Queries migrations over the provider's own connection string: the database may not exist.</summary>
internal sealed class UnpooledHistoryRepository(IHistoryRepository inner, ContextConnection connection) : IHistoryRepository
{
    public LockReleaseBehavior LockReleaseBehavior => inner.LockReleaseBehavior;

    public bool Exists() => connection.Bypass(inner.Exists);

    public Task<bool> ExistsAsync(CancellationToken cancellationToken = default) =>
        connection.BypassAsync(() => inner.ExistsAsync(cancellationToken));

    public void Create() => connection.Bypass(() => { inner.Create(); return true; });

    public Task CreateAsync(CancellationToken cancellationToken = default) =>
        connection.BypassAsync(async () => { await inner.CreateAsync(cancellationToken).ConfigureAwait(false); return true; });

    public bool CreateIfNotExists() => connection.Bypass(inner.CreateIfNotExists);

    public Task<bool> CreateIfNotExistsAsync(CancellationToken cancellationToken = default) =>
        connection.BypassAsync(() => inner.CreateIfNotExistsAsync(cancellationToken));

    public IReadOnlyList<HistoryRow> GetAppliedMigrations() => connection.Bypass(inner.GetAppliedMigrations);

    public Task<IReadOnlyList<HistoryRow>> GetAppliedMigrationsAsync(CancellationToken cancellationToken = default) =>
        connection.BypassAsync(() => inner.GetAppliedMigrationsAsync(cancellationToken));

    public IMigrationsDatabaseLock AcquireDatabaseLock() => connection.Bypass(inner.AcquireDatabaseLock);

    public Task<IMigrationsDatabaseLock> AcquireDatabaseLockAsync(CancellationToken cancellationToken = default) =>
        connection.BypassAsync(() => inner.AcquireDatabaseLockAsync(cancellationToken));

    public string GetCreateScript() => inner.GetCreateScript();

    public string GetCreateIfNotExistsScript() => inner.GetCreateIfNotExistsScript();

    public string GetInsertScript(HistoryRow row) => inner.GetInsertScript(row);

    public string GetDeleteScript(string migrationId) => inner.GetDeleteScript(migrationId);

    public string GetBeginIfNotExistsScript(string migrationId) => inner.GetBeginIfNotExistsScript(migrationId);

    public string GetBeginIfExistsScript(string migrationId) => inner.GetBeginIfExistsScript(migrationId);

    public string GetEndIfScript() => inner.GetEndIfScript();
}
