using System.Data;
using System.Globalization;
using Poolhouse.Data.Opening;

namespace Poolhouse.Data.Sessions;

/// <summary>
/// Closes connections permanently, even if statements still run on them, and limits the number that cannot be closed.
/// </summary>
/// <param name="opener">Opened the connections.</param>
/// <param name="options">The settings of the pool.</param>
/// <param name="maxSize">Its current limit, which may change.</param>
// Why Dispose is not enough: a provider's connection that is closed while a statement runs may never be closed at all. So running
// work is awaited, cancelled and awaited again, and a close that the provider refuses is tried again. There is no time limit
// here: the pool abandons the close at DestroyTimeout and releases the capacity, and the close continues.
// Invariants
//   _open counts the connections whose close has begun and has not ended, the abandoned ones included. Without those it is below
//   MaxSize while the pool creates a connection, which has a share of MaxSize itself. So the server has at most MaxSize sessions
//   that are counted by the pool and MaxSize that are not.
// Locks: none
internal sealed class ConnectionCloser(IConnectionOpener opener, DbPoolOptions options, Func<int> maxSize)
{
    private static readonly TimeSpan _firstPause = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan _longestPause = TimeSpan.FromSeconds(30);

    private int _open;

    /// <summary>The connections whose close has begun and has not ended.</summary>
    public int Closing => Volatile.Read(ref _open);

    /// <summary>Refuses to open another connection while too many closed ones are still open.</summary>
    public void ThrowIfTooManyAreOpen()
    {
        var open = Volatile.Read(ref _open);
        if (open > 0 && open >= maxSize())
        {
            throw new DbPoolException(
                options.Pool.Name!,
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"Pool '{options.Pool.Name}': {open} connections that were closed are still open, because the provider " +
                    $"cannot close them while one of their operations runs. At most MaxSize of them are tolerated, and no " +
                    $"further connection is opened until one has ended.") +
                " Await or cancel commands, reading loops and waits for notifications before their connection is closed.",
                innerException: null);
        }
    }

    public async ValueTask CloseAsync(PhysicalConnection connection)
    {
        opener.OnClosed(connection.Origin);
        connection.ReleaseOwnSource();

        if (connection.IsAbandoned)
        {
            return;
        }

        Interlocked.Increment(ref _open);
        var goesOn = false;
        try
        {
            await connection.BeginClosingAsync().ConfigureAwait(false);
            await EndAsync(connection.WhenUnusedAsync(), () => connection.Bound.CancelRunning(connection)).ConfigureAwait(false);
            if (connection.LastEnlistment is { } enlistment)
            {
                await TransactionExit.WaitAsync(connection.Inner, enlistment, options.Pool.TimeProvider, CancellationToken.None)
                    .ConfigureAwait(false);
            }

            // A provider that encounters the error of a cancelled statement while it closes an open object (Npgsql: a reader)
            // leaves the session open, and closes it at the next attempt.
            if (await DisposeAsync(connection).ConfigureAwait(false) is not null
                && await DisposeAsync(connection).ConfigureAwait(false) is { } failure)
            {
                goesOn = connection.Inner.State is not (ConnectionState.Closed or ConnectionState.Broken);
                if (goesOn)
                {
                    _ = DisposeAgainAsync(connection);
                }

                throw failure;
            }
        }
        finally
        {
            if (!goesOn)
            {
                Interlocked.Decrement(ref _open);
            }
        }
    }

    /// <summary>Waits for work that a user left running to end, and cancels it if that takes too long.</summary>
    /// <returns>Whether it was cancelled.</returns>
    // Not at once: most statements end on their own, and a request that overtakes its statement has no effect at the server.
    // Npgsql sends only one, breaks the connection if it had no effect, and the statement continues without a client.
    public async ValueTask<bool> EndAsync(Task work, Action cancel)
    {
        var wasCancelled = false;
        for (var pause = _firstPause; !work.IsCompleted; pause = Next(pause))
        {
            await Task.WhenAny(work, Task.Delay(pause, options.Pool.TimeProvider, CancellationToken.None)).ConfigureAwait(false);
            if (!work.IsCompleted)
            {
                wasCancelled = true;
#pragma warning disable CA1031 // The statement may have ended, or the line is broken: then it ends by itself.
                try
                {
                    cancel();
                }
                catch (Exception)
                {
                    // The next attempt may succeed.
                }
#pragma warning restore CA1031
            }
        }

        if (wasCancelled)
        {
            // The error of the cancelled statement is irrelevant.
            _ = work.Exception;
            return true;
        }

        await work.ConfigureAwait(false);
        return false;
    }

    private static TimeSpan Next(TimeSpan pause) => pause < _longestPause ? pause * 2 : pause;

    // A reader may be open although nothing is in use: its last read ended after the lease. The provider reads it to its end,
    // unless its command is cancelled.
    private async ValueTask<Exception?> DisposeAsync(PhysicalConnection connection)
    {
        var disposal = TryDisposeAsync(connection).AsTask();
        await EndAsync(disposal, () => connection.Bound.CancelRunning(connection)).ConfigureAwait(false);
        return await disposal.ConfigureAwait(false);
    }

    private static async ValueTask<Exception?> TryDisposeAsync(PhysicalConnection connection)
    {
#pragma warning disable CA1031 // It is reported where it is known whether the connection is closed all the same.
        try
        {
            // Npgsql keeps the session of a connection that failed to join a transaction until that has completed, and with it
            // the locks of a transaction that was left open.
            if (connection.OpenTransaction is { } transaction)
            {
                connection.OpenTransaction = null;
                await transaction.DisposeAsync().ConfigureAwait(false);
            }

            connection.CloseSessions(forGood: true);
            await connection.Inner.DisposeAsync().ConfigureAwait(false);
            return null;
        }
        catch (Exception failure)
        {
            return failure;
        }
#pragma warning restore CA1031
    }

    // Npgsql refuses to close a connection of a pool, also of one that is disposed, while that waits for a notification.
    private async Task DisposeAgainAsync(PhysicalConnection connection)
    {
        var pause = _firstPause;
        do
        {
            await Task.Delay(pause, options.Pool.TimeProvider, CancellationToken.None).ConfigureAwait(false);
            pause = Next(pause);
        }
        while (await TryDisposeAsync(connection).ConfigureAwait(false) is not null
            && connection.Inner.State is not (ConnectionState.Closed or ConnectionState.Broken));
        Interlocked.Decrement(ref _open);
    }
}
