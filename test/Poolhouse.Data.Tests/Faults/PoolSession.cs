using System.Data.Common;
using Poolhouse.Data.Tests.Fakes;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>A connection that a <see cref="PoolUser"/> has open.</summary>
internal sealed class PoolSession(PoolUser user, DbConnection connection, Lease<DbConnection>? lease) : IAsyncDisposable
{
    public Lease<DbConnection>? Lease => lease;

    public DbConnection Connection => connection;

    /// <summary>The number of its session on the server.</summary>
    public int Process { get; } = user.Kind.SessionOf(Provider.Of<DbConnection>(connection));

    public async Task<object?> QueryAsync(string sql, CancellationToken cancellationToken = default)
    {
        await using var command = connection.CreateCommand();
        command.CommandText = sql;
        try
        {
            return user.IsSynchronous ? command.ExecuteScalar() : await command.ExecuteScalarAsync(cancellationToken);
        }
        catch (Exception failure) when (user.Saw(this, failure))
        {
            throw;
        }
    }

    /// <summary>Blocks for the answer, while another thread cancels the command: before, with, or after the reply.</summary>
    // Nothing is awaited: a blocking user that continued in the thread pool would starve other users of its threads.
    public void AskAndCancel(string sql, TimeSpan after)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        var cancelling = Task.Run(async () =>
        {
#pragma warning disable RS0030 // A random moment of a statement on a real server; no check depends on it.
            await Task.Delay(after, CancellationToken.None);
#pragma warning restore RS0030
            command.Cancel();
        });
        try
        {
            command.ExecuteScalar();
        }
        catch (Exception failure) when (user.Saw(this, failure))
        {
            throw;
        }
        finally
        {
#pragma warning disable VSTHRD002 // On a thread of the user's own.
            cancelling.GetAwaiter().GetResult();
#pragma warning restore VSTHRD002

            // Only this caller knows that a cancellation may still be pending.
            lease?.Taint();
        }
    }

    public ValueTask DisposeAsync()
    {
        if (!user.IsSynchronous)
        {
            return lease?.DisposeAsync() ?? connection.DisposeAsync();
        }

        if (lease is { } synchronous)
        {
            synchronous.Dispose();
        }
        else
        {
            connection.Dispose();
        }

        return default;
    }
}
