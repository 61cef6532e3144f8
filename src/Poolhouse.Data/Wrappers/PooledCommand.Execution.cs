using System.Data;
using System.Data.Common;

namespace Poolhouse.Data.Wrappers;

internal sealed partial class PooledCommand
{
    public override int ExecuteNonQuery() => CommandRunner.Run(this, static (command, _) => command._inner!.ExecuteNonQuery());

    public override Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken) =>
        CommandRunner.RunAsync(
            this, static (command, _, token) => command._inner!.ExecuteNonQueryAsync(token), cancellationToken);

    public override object? ExecuteScalar() => CommandRunner.Run(this, static (command, _) => command._inner!.ExecuteScalar());

    public override Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken) =>
        CommandRunner.RunAsync(this, static (command, _, token) => command._inner!.ExecuteScalarAsync(token), cancellationToken);

    public override void Prepare() => CommandRunner.Run(
        this,
        static (command, physical) =>
        {
            physical.HasPrepared = true;
            command._inner!.Prepare();
            return true;
        });

    public override Task PrepareAsync(CancellationToken cancellationToken = default) => CommandRunner.RunAsync(
        this,
        static async (command, physical, token) =>
        {
            physical.HasPrepared = true;
            await command._inner!.PrepareAsync(token).ConfigureAwait(false);
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
