using Microsoft.EntityFrameworkCore.Storage;

namespace Poolhouse.EntityFrameworkCore.Internal.Migrations;

/// <summary>Lets the provider's creator use its own connection string instead of the pool.</summary>
// A missing database must not look like an outage to the pool, and a provider checks whether it exists on
// connections that it does not close through the context's. After a database was created or deleted, or that failed, the pool's
// connections are replaced, because they know the old state.
internal sealed class UnpooledDatabaseCreator(
    RelationalDatabaseCreatorDependencies dependencies, IRelationalDatabaseCreator inner, ContextConnection connection)
    : RelationalDatabaseCreator(dependencies)
{
    public override bool Exists() => connection.Bypass(inner.Exists);

    public override Task<bool> ExistsAsync(CancellationToken cancellationToken = default) =>
        connection.BypassAsync(() => inner.ExistsAsync(cancellationToken));

    public override bool HasTables() => connection.Bypass(inner.HasTables);

    public override Task<bool> HasTablesAsync(CancellationToken cancellationToken = default) =>
        connection.BypassAsync(() => inner.HasTablesAsync(cancellationToken));

    public override bool CanConnect() => connection.Bypass(inner.CanConnect);

    public override Task<bool> CanConnectAsync(CancellationToken cancellationToken = default) =>
        connection.BypassAsync(() => inner.CanConnectAsync(cancellationToken));

    public override string GenerateCreateScript() => inner.GenerateCreateScript();

    public override void Create() => Change(() => { inner.Create(); return true; });

    public override Task CreateAsync(CancellationToken cancellationToken = default) =>
        ChangeAsync(async () => { await inner.CreateAsync(cancellationToken).ConfigureAwait(false); return true; });

    public override void CreateTables() => Change(() => { inner.CreateTables(); return true; });

    public override Task CreateTablesAsync(CancellationToken cancellationToken = default) =>
        ChangeAsync(async () => { await inner.CreateTablesAsync(cancellationToken).ConfigureAwait(false); return true; });

    public override void Delete() => Change(() => { inner.Delete(); return true; });

    public override Task DeleteAsync(CancellationToken cancellationToken = default) =>
        ChangeAsync(async () => { await inner.DeleteAsync(cancellationToken).ConfigureAwait(false); return true; });

    public override bool EnsureCreated() => Change(inner.EnsureCreated);

    public override Task<bool> EnsureCreatedAsync(CancellationToken cancellationToken = default) =>
        ChangeAsync(() => inner.EnsureCreatedAsync(cancellationToken));

    public override bool EnsureDeleted() => Change(inner.EnsureDeleted);

    public override Task<bool> EnsureDeletedAsync(CancellationToken cancellationToken = default) =>
        ChangeAsync(() => inner.EnsureDeletedAsync(cancellationToken));

    private bool Change(Func<bool> change)
    {
        var mayHaveChanged = true;
        try
        {
            mayHaveChanged = connection.Bypass(change);
            return mayHaveChanged;
        }
        finally
        {
            if (mayHaveChanged)
            {
                connection.ClearPool();
            }
        }
    }

    private async Task<bool> ChangeAsync(Func<Task<bool>> change)
    {
        var mayHaveChanged = true;
        try
        {
            mayHaveChanged = await connection.BypassAsync(change).ConfigureAwait(false);
            return mayHaveChanged;
        }
        finally
        {
            if (mayHaveChanged)
            {
                connection.ClearPool();
            }
        }
    }
}
