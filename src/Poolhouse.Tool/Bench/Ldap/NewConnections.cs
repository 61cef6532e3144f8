using System.Collections.Concurrent;
using System.DirectoryServices.Protocols;

namespace Poolhouse.Tool.Bench.Ldap;

/// <summary>A connection for each operation: opened, bound, used once, closed.</summary>
internal sealed class NewConnections(LdapTarget target) : LdapConnections
{
    private readonly ConcurrentQueue<Task> _searches = [];
    private long _opened;

    public override long Opened => Interlocked.Read(ref _opened);

    public override void Use(Action<LdapConnection> work, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        using var connection = target.Connect();
        Interlocked.Increment(ref _opened);
        work(connection);
    }

    // It cannot be cancelled, so its caller abandons it.
    public override Task SearchAsync(CancellationToken giveUp)
    {
        var search = Task.Factory.StartNew(
            () => Use(connection => connection.SendRequest(target.Search()), CancellationToken.None),
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        _searches.Enqueue(search);
        return search.WaitAsync(giveUp);
    }

    public override async ValueTask DisposeAsync()
    {
        foreach (var search in _searches)
        {
            try
            {
                await search.ConfigureAwait(false);
            }
            catch (Exception failure) when (LdapFailureText.Is(failure))
            {
                // Its caller has given up.
            }
        }
    }
}
