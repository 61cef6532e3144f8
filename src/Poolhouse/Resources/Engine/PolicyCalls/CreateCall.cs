using System.Globalization;

namespace Poolhouse.Resources.Engine.PolicyCalls;

/// <summary>Creates one item, for whoever will be at the head of the queue then.</summary>
internal sealed class CreateCall<T>(ResourceRuntime<T> runtime, bool synchronously) : PolicyCall<T>(runtime)
    where T : notnull
{
    private long _startedAt;
    private int _generation;
    private ItemCreateFailed _givenUp;

    public override long Limit => Runtime.Settings.CreateTimeout;

    public override bool EndsWithPool => true;

    protected override void Run()
    {
        if (IsGivenUp)
        {
            // The clock has jumped.
            return;
        }

        _startedAt = Runtime.Clock.Now;

        // Read before the creation begins: whatever is cleared from now on may be what this item is made from.
        _generation = Runtime.Core.Generation;
        // The token is published before this look, and whoever closes the pool looks for tokens after: one of the two sees the other.
        Interlocked.MemoryBarrier();
        if (Runtime.IsClosed)
        {
            // It was closed before the creation began, so nobody could have told it to stop.
            if (TryFinish())
            {
                Fail(RentErrors.Closed(Runtime.Name), permanent: false);
            }

            return;
        }

        if (StartFailure is { } failure)
        {
            if (TryFinish())
            {
                Fail(failure, permanent: false);
            }

            return;
        }

        _ = CreateAsync();
    }

    public override void ReportGivenUp()
    {
        // A parent whose last use this was goes back to its pool, which asks its policy about it.
        Runtime.Policy.OnCreateGivenUp(Token);
        Runtime.ReportCreateFailed(_givenUp);
    }

    // The policy is not asked whether this is permanent: it did not throw it, and it may block.
    protected override void OnAbandoned() => _givenUp = Runtime.CreateFailed(WhyGivenUp(), permanent: false, synchronously);

    private Exception WhyGivenUp()
    {
        try
        {
            return TookTooLong();
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            return failure;
        }
    }

    private TimeoutException TookTooLong() => new(string.Create(
        CultureInfo.InvariantCulture,
        $"Pool '{Runtime.Name}': the creation of an item took longer than CreateTimeout ({Runtime.Settings.Options.CreateTimeout}) and was given up. Raise CreateTimeout if creations take that long; an item that comes late is destroyed."));

#pragma warning disable CA1031 // Whatever the policy throws is the failure of this creation.
    private async Task CreateAsync()
    {
        // Off the thread pool the work may block, and must if it can: a caller had it moved here because the thread pool is starved.
        var blocks = synchronously || (Runtime.Settings.CreatesSynchronously && !Thread.CurrentThread.IsThreadPoolThread);
        T item;
        try
        {
            item = blocks
                ? Runtime.Policy.Create(Token)
                : await Runtime.Policy.CreateAsync(Token).ConfigureAwait(false);
            if (item is null)
            {
                throw new InvalidOperationException(
                    $"The policy of pool '{Runtime.Name}' created null. An item must be an object: check the create delegate or the policy's CreateAsync.");
            }
        }
        catch (Exception failure)
        {
            // Asked while the time of the creation still runs, because this is the policy's code too.
            var permanent = Runtime.IsPermanent(failure);
            if (TryFinish())
            {
                Fail(failure, permanent);
            }

            return;
        }

        if (TryFinish())
        {
            Runtime.Created(item, _generation, synchronously, _startedAt);
        }
        else
        {
            Runtime.DestroyLate(item);
        }
    }
#pragma warning restore CA1031

    private void Fail(Exception failure, bool permanent) =>
        Runtime.ReportCreateFailed(Runtime.CreateFailed(failure, permanent, synchronously));
}
