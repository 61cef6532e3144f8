using Poolhouse.Resources.Engine.Creating;
using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Engine.PolicyCalls;

/// <summary>Creates one item for the caller that is then at the head of the queue.</summary>
internal sealed class CreateCall<T>(ResourceRuntime<T> runtime, bool synchronously) : PolicyCall<T>(runtime)
    where T : notnull
{
    private readonly ResourceCreation _creation = new();
    private long _startedAt = PoolClock.Never;
    private int _generation;
    private ItemCreateFailedArgs _abandoned;

    public override long Limit => Settings.CreateTimeout;

    public override bool EndsWithPool => true;

    protected override void Run()
    {
        _startedAt = Runtime.Clock.Now;

        // Read before the creation begins: anything cleared from now on may be what this item is created from.
        _generation = Runtime.Core.Generation;

        // The token is published before this check, and the closing thread looks for tokens after it has closed the core: one of
        // the two sees the other.
        if (Runtime.Core.IsClosed)
        {
            // The pool was closed before the creation began, so the creation could not be cancelled.
            if (TryFinish())
            {
                Runtime.Core.CreateCancelled(synchronously, _startedAt);
            }

            return;
        }

        if (StartFailure is { } failure)
        {
            Fail(new CreationFailure(failure));
            return;
        }

        if (Runtime.Core.ExceedsCapacity)
        {
            // The pool was made smaller after the slot was granted: without it, no more items are alive than allowed.
            if (TryFinish())
            {
                Runtime.Core.CreationWithdrawn(synchronously, _startedAt);
            }

            return;
        }

        _ = CreateAsync();
    }

    // If this was the parent's last use, the parent is returned to its pool, which calls its policy.
    public override void EndAbandoned() => _creation.Abandon();

    public override void ReportAbandoned() => Runtime.Events.ReportCreateFailed(_abandoned);

    // IsPermanent is not called: the policy did not throw this exception, and the call may block.
    protected override void OnAbandoned()
    {
        var obstacle = _creation.Obstacle;
        _abandoned = RecordFailure(new CreationFailure(obstacle ?? NewTimeout(), LacksRoom: obstacle is not null));
    }

    private Exception NewTimeout()
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

    private TimeoutException TookTooLong() => new(
        $"Pool '{Runtime.Name}': the creation of an item took longer than CreateTimeout " +
        $"({Settings.Options.CreateTimeout}) and was abandoned. Raise CreateTimeout if creation needs that long; an " +
        "item that arrives late is destroyed.");

#pragma warning disable CA1031 // Any exception of the policy is the failure of this creation.
    private async Task CreateAsync()
    {
        // Outside the thread pool the work may block, and must if it can: a caller had it moved here because the thread pool is
        // starved.
        var blocks = synchronously || (Runtime.Settings.CreatesSynchronously && !Thread.CurrentThread.IsThreadPoolThread);
        if (Runtime.Budget?.TryBegin() == false)
        {
            Fail(new CreationFailure(RefusedByBudget(), LacksRoom: true));
            return;
        }

        T item;
        try
        {
            item = blocks
                ? Runtime.Policy.Create(Token)
                : await Runtime.Policy.CreateTrackedAsync(_creation, Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (Token.IsCancellationRequested)
        {
            // The creation was abandoned, or the pool was closed, which has ended all waits by now.
            if (TryFinish())
            {
                Runtime.Core.CreateCancelled(synchronously, Runtime.Clock.Now);
            }

            return;
        }
        catch (Exception failure)
        {
            // Called while the time limit of the creation still applies, because this is the policy's code too.
            var lacksRoom = Runtime.Checks.LacksRoom(failure);
            if (lacksRoom)
            {
                Runtime.Budget?.Refused(failure);
            }

            var isPermanent = !lacksRoom && Runtime.Checks.IsPermanent(failure);
            Fail(new CreationFailure(failure, isPermanent, lacksRoom));
            return;
        }

        if (item is null)
        {
            // A bug in the policy: retrying would only make callers wait for it.
            Fail(new CreationFailure(ReturnedNull(), IsPermanent: true));
        }
        else if (TryFinish())
        {
            Created(item);
        }
        else
        {
            DestroyLate(item);
        }
    }
#pragma warning restore CA1031

    private InvalidOperationException ReturnedNull() => new(
        $"The policy of pool '{Runtime.Name}' returned null. CreateAsync must not return null: check the policy or " +
        "the create delegate.");

    private InvalidOperationException RefusedByBudget() => new(
        $"The budget of pool '{Runtime.Name}' allows no further item at the moment.");

    private void Created(T item)
    {
        var now = Runtime.Clock.Now;
        ResourceEntry<T> entry;
        try
        {
            entry = new ResourceEntry<T>(item, Runtime.Returns, now, _generation);
            Runtime.Core.Created(entry, synchronously, Runtime.Settings.Options.Random.NextDouble(), now - _startedAt, now);
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            var failed = RecordFailure(new CreationFailure(failure));
            DestroyLate(item);
            Runtime.Events.ReportCreateFailed(failed);
            return;
        }

        Runtime.WarmUps.Progress();
        Runtime.Events.ReportCreated(entry.Number, Runtime.Clock.Span(now - _startedAt));
    }

    /// <summary>Destroys an item whose creation completed after it had been abandoned.</summary>
    private void DestroyLate(T item)
    {
        var number = Runtime.Core.Readings.CountCreatedTooLate();
        new DestroyCall<T>(Runtime, item, number, entry: null, DestroyReason.CreatedTooLate).QueueOrRun();
    }

    private void Fail(CreationFailure failed)
    {
        if (TryFinish())
        {
            Runtime.Events.ReportCreateFailed(RecordFailure(failed));
        }
    }

    /// <returns>The event to report.</returns>
    private ItemCreateFailedArgs RecordFailure(CreationFailure failed)
    {
        var pause = Runtime.Core.CreateFailed(failed, synchronously, _startedAt, Runtime.Clock.Now);
        Runtime.WarmUps.Fail(failed.Failure);
        return new ItemCreateFailedArgs(
            Runtime.Events.Pool, failed.Failure, Runtime.Core.Readings.Failures, Runtime.Clock.Span(pause))
        {
            LacksRoom = failed.LacksRoom,
        };
    }
}
