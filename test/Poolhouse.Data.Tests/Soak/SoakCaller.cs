using System.Data.Common;
using System.Globalization;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Servers.Internal;

namespace Poolhouse.Data.Tests.Soak;

/// <summary>
/// One caller of a soak: it rents repeatedly, queries its nonce, and sometimes gives up or leaves session state behind.
/// </summary>
internal sealed class SoakCaller(PoolUser user, Random random, SoakTally tally)
{
    private static long _nonces;

    public async Task CallAsync(CancellationTokenSource ended)
    {
        try
        {
            while (!ended.IsCancellationRequested)
            {
                await CallOnceAsync();
            }
        }
        catch
        {
            // The others need not continue.
            await ended.CancelAsync();
            throw;
        }
    }

    private async Task CallOnceAsync()
    {
        using var patience = new CancellationTokenSource();
        var action = random.Next(10);
        try
        {
            switch (action)
            {
                case 0:
                    using (var limit = NewLimit(20))
                    {
                        await QueryAsync(pause: 0, limit.Token);
                    }

                    break;
                case 1:
                    await AskAndCancelAsync();
                    break;
                case 2:
                    await AskInVainAsync();
                    break;
                case 3:
                    await AskTooLateAsync(patience);
                    break;
                default:
                    await QueryAsync(random.Next(4), CancellationToken.None);
                    break;
            }
        }
        catch (Exception cancelled) when (action < 4 && IsCancellation(cancelled))
        {
            tally.CountGivenUp();
        }
        catch (Exception failure) when (PoolUser.IsFailure(failure) && !IsCancellation(failure))
        {
            // A cancellation that this caller did not request belongs to another caller, and fails the soak.
            tally.CountFailed();
        }
    }

    private async Task QueryAsync(int pause, CancellationToken cancellationToken)
    {
        await using var session = await user.OpenAsync(cancellationToken);
        await CheckNonceAsync(session, pause, cancellationToken);
        tally.CountAnswered();
        await LeaveMessAsync(session, cancellationToken);
    }

    /// <summary>A cancellation that may come before, with, or after the reply.</summary>
    private async Task AskAndCancelAsync()
    {
        await using var session = await user.OpenAsync(CancellationToken.None);
        if (!user.IsSynchronous)
        {
            using var limit = NewLimit(15);
            await CheckNonceAsync(session, pause: 8, limit.Token);
        }
        else
        {
            session.AskAndCancel(user.Kind.SelectWithOwner(NewNonce(), 8), TimeSpan.FromMilliseconds(random.Next(15)));
        }

        tally.CountAnswered();
    }

    /// <summary>A cancellation that comes before anything was sent, if the API supports cancellation.</summary>
    private async Task AskTooLateAsync(CancellationTokenSource patience)
    {
        await using var session = await user.OpenAsync(CancellationToken.None);
        await patience.CancelAsync();
        await CheckNonceAsync(session, pause: 0, patience.Token);
        tally.CountAnswered();
    }

    private async Task AskInVainAsync()
    {
        await using var session = await user.OpenAsync(CancellationToken.None);
        await session.QueryAsync(user.Kind.LimitStatements, CancellationToken.None);
        var answer = await session.QueryAsync(user.Kind.Sleep(seconds: 60), CancellationToken.None);
        Assert.True(user.Kind.IsInterrupted(answer), $"A statement without end had an end: {answer}.");
        tally.CountGivenUp();
    }

    /// <summary>The answer must belong to this call, and the session must have no state of its last owner.</summary>
    private async Task CheckNonceAsync(PoolSession session, int pause, CancellationToken cancellationToken)
    {
        var nonce = NewNonce();
        var answer = await session.QueryAsync(user.Kind.SelectWithOwner(nonce, pause), cancellationToken);
        if (user.Kind.IsInterrupted(answer))
        {
            // Only by this caller's own token: an interrupt for another caller's statement is an unequal answer.
            cancellationToken.ThrowIfCancellationRequested();
        }

        Assert.Equal(nonce + "|", answer);
    }

    private async Task LeaveMessAsync(PoolSession session, CancellationToken cancellationToken)
    {
        var mess = random.Next(2 * user.Kind.Messes.Count);
        if (mess < user.Kind.Messes.Count)
        {
            await session.QueryAsync(user.Kind.Messes[mess], cancellationToken);
        }
    }

    // Not CancelAfter: cancelling a statement whose session is gone throws in MySqlConnector, and would end the tests.
    private TimeLimit NewLimit(int milliseconds) =>
        new(TimeSpan.FromMilliseconds(random.Next(milliseconds)), TimeProvider.System);

    private bool IsCancellation(Exception exception) =>
        exception is OperationCanceledException || (exception is DbException failure && user.Kind.IsStatementCancelled(failure));

    private static string NewNonce() => Interlocked.Increment(ref _nonces).ToString(CultureInfo.InvariantCulture);
}
