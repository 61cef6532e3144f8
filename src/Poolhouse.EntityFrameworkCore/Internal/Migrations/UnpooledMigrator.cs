using System.Diagnostics.CodeAnalysis;
using Microsoft.EntityFrameworkCore.Migrations;

namespace Poolhouse.EntityFrameworkCore.Internal.Migrations;

/// <summary>Lets migrations run over the provider's own connection string: they may have to create the database first.</summary>
// The pool's connections are replaced also if a migration fails: others may have been applied before it.
internal sealed class UnpooledMigrator(IMigrator inner, ContextConnection connection) : IMigrator
{
    private const string NoTrimming = "Migrations of Entity Framework Core are not compatible with trimming.";
    private const string NoNativeCode =
        "Migrations of Entity Framework Core are not compatible with native ahead-of-time compilation.";

    [RequiresUnreferencedCode(NoTrimming)]
    [RequiresDynamicCode(NoNativeCode)]
    public void Migrate(string? targetMigration = null)
    {
        try
        {
            connection.Bypass(() => { inner.Migrate(targetMigration); return true; });
        }
        finally
        {
            connection.ClearPool();
        }
    }

    [RequiresUnreferencedCode(NoTrimming)]
    [RequiresDynamicCode(NoNativeCode)]
    public async Task MigrateAsync(string? targetMigration = null, CancellationToken cancellationToken = default)
    {
        try
        {
            await connection.BypassAsync(async () =>
            {
                await inner.MigrateAsync(targetMigration, cancellationToken).ConfigureAwait(false);
                return true;
            }).ConfigureAwait(false);
        }
        finally
        {
            connection.ClearPool();
        }
    }

    [RequiresUnreferencedCode(NoTrimming)]
    [RequiresDynamicCode(NoNativeCode)]
    public string GenerateScript(
        string? fromMigration = null,
        string? toMigration = null,
        MigrationsSqlGenerationOptions options = MigrationsSqlGenerationOptions.Default) =>
        inner.GenerateScript(fromMigration, toMigration, options);

    [RequiresDynamicCode(NoNativeCode)]
    public bool HasPendingModelChanges() => inner.HasPendingModelChanges();
}
