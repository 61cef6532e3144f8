using System.Data;
using System.Data.Common;

namespace Poolhouse.Data.Wrappers;

internal sealed partial class PooledBatch
{
    public override int ExecuteNonQuery() => CommandRunner.Run(this, static (batch, _) => batch._inner!.ExecuteNonQuery());

    public override Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken = default) =>
        CommandRunner.RunAsync(this, static (batch, _, token) => batch._inner!.ExecuteNonQueryAsync(token), cancellationToken);

    public override object? ExecuteScalar() => CommandRunner.Run(this, static (batch, _) => batch._inner!.ExecuteScalar());

    public override Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken = default) =>
        CommandRunner.RunAsync(this, static (batch, _, token) => batch._inner!.ExecuteScalarAsync(token), cancellationToken);

    public override void Prepare() => CommandRunner.Run(
        this,
        static (batch, physical) =>
        {
            physical.HasPrepared = true;
            batch._inner!.Prepare();
            return true;
        });

    public override Task PrepareAsync(CancellationToken cancellationToken = default) => CommandRunner.RunAsync(
        this,
        static async (batch, physical, token) =>
        {
            physical.HasPrepared = true;
            await batch._inner!.PrepareAsync(token).ConfigureAwait(false);
            return true;
        },
        cancellationToken);

    public DbDataReader ExecuteInner(CommandBehavior behavior) => _inner!.ExecuteReader(behavior);

    public Task<DbDataReader> ExecuteInnerAsync(CommandBehavior behavior, CancellationToken cancellationToken) =>
        _inner!.ExecuteReaderAsync(behavior, cancellationToken);

    public void ReaderOpened() => _binding.Begin();

    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior) => CommandRunner.Read(this, behavior);

    protected override Task<DbDataReader> ExecuteDbDataReaderAsync(
        CommandBehavior behavior, CancellationToken cancellationToken) =>
        CommandRunner.ReadAsync(this, behavior, cancellationToken);
}
