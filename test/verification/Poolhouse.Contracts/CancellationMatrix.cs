using Poolhouse.Testing;

namespace Poolhouse.Contracts;

/// <summary>
/// Every outcome in every phase, combined with callers that give up early: deadpool's managed_cancellation.rs, on a clock that
/// does not advance.
/// </summary>
public sealed class CancellationMatrix
{
    private const int MaxSize = 2;
    private static readonly TimeSpan _tick = TimeSpan.FromMilliseconds(1);
    private static readonly HookOutcome[] _outcomes = [HookOutcome.Succeed, HookOutcome.Fail, HookOutcome.Slow, HookOutcome.Hang];

    public static TheoryData<HookOutcome, HookOutcome> Rows =>
        [.. from create in _outcomes from destroy in _outcomes select (create, destroy)];

    /// <summary>64 of the 1,024 cases each: 4 outcomes of the validation, the reset and the proof.</summary>
    [Theory]
    [MemberData(nameof(Rows))]
    public async Task Callers_that_give_up_lose_no_capacity_in_any_order_of_create_and_destroy(
        HookOutcome create, HookOutcome destroy)
    {
        foreach (var validate in _outcomes)
        {
            foreach (var reset in _outcomes)
            {
                foreach (var prove in _outcomes)
                {
                    await RunAsync(create, validate, reset, prove, destroy);
                }
            }
        }
    }

    private static async Task RunAsync(
        HookOutcome create, HookOutcome validate, HookOutcome reset, HookOutcome prove, HookOutcome destroy)
    {
        var name = $"create {create}, validate {validate}, reset {reset}, prove {prove}, destroy {destroy}";
        var clock = new ManualTimeProvider();
        var policy = new ScriptedPolicy<object>(
            () => new object(), PolicyHooks.Validate | PolicyHooks.Reset | PolicyHooks.ProveClean, clock);
        await using var pool = new ResourcePool<object>(policy, Options(clock));

        // Items to validate and to reset, before the faults begin.
        (await pool.RentAsync()).Dispose();
        Set(policy, create, validate, reset, prove, destroy);

        var callers = new List<Task>();
        for (var caller = 0; caller < 6; caller++)
        {
            callers.Add(UseAsync(pool, caller));
        }

        var started = TimeProvider.System.GetTimestamp();
        while (!callers.TrueForAll(caller => caller.IsCompleted))
        {
            clock.Advance(_tick);
            Assert.True(pool.GetStatistics().Live <= MaxSize, $"{pool.GetStatistics().Live} slots are taken: {name}");
            await Task.Yield();
            Assert.True(
                TimeProvider.System.GetElapsedTime(started) < TimeSpan.FromSeconds(30), $"Callers got no outcome: {name}");
        }

        await Task.WhenAll(callers);
        policy.Recover();
        await ServesAsync(pool, clock, name);
        Assert.True(policy.DestroyedWrongly == 0, $"An item was destroyed twice: {name}");
    }

    private static ResourcePoolOptions Options(TimeProvider clock) => new()
    {
        MaxSize = MaxSize,
        TimeProvider = clock,
        ValidateAfterIdle = TimeSpan.Zero,
        CreateTimeout = _tick * 8,
        ValidateTimeout = _tick * 8,
        ResetTimeout = _tick * 8,
        DestroyTimeout = _tick * 8,
        RetryDelay = _tick,
        MaxRetryDelay = _tick * 4,
    };

    private static void Set(ScriptedPolicy<object> policy, params HookOutcome[] outcomes)
    {
        ScriptedHook[] hooks = [policy.Creating, policy.Validating, policy.Resetting, policy.ProvingClean, policy.Destroying];
        for (var i = 0; i < hooks.Length; i++)
        {
            hooks[i].Outcome = outcomes[i];
            hooks[i].Delay = _tick * 3;
        }
    }

    /// <summary>A caller with a short timeout or a token that is cancelled soon. It sometimes taints its item.</summary>
    private static async Task UseAsync(ResourcePool<object> pool, int caller)
    {
        for (var round = 0; round < 2; round++)
        {
            using var cancellation = new CancellationTokenSource();
            try
            {
                var renting = pool.RentAsync(_tick * (1 + caller + round), cancellation.Token);
                if (caller % 3 == 2 && !renting.IsCompleted)
                {
                    await cancellation.CancelAsync();
                }

                var lease = await renting;
                if ((caller + round) % 2 == 0)
                {
                    lease.Taint();
                }

                lease.Dispose();
            }
            catch (Exception answer)
                when (answer is PoolTimeoutException or PoolUnavailableException or OperationCanceledException)
            {
                // It gave up, as intended.
            }
        }
    }

    /// <summary>Checks that the whole capacity is available, and no more.</summary>
    private static async Task ServesAsync(ResourcePool<object> pool, ManualTimeProvider clock, string name)
    {
        var rents = Enumerable.Range(0, MaxSize).Select(_ => pool.RentAsync(Timeout.InfiniteTimeSpan).AsTask()).ToList();
        var started = TimeProvider.System.GetTimestamp();
        while (!rents.TrueForAll(rent => rent.IsCompleted))
        {
            clock.Advance(_tick);
            await Task.Yield();
            Assert.True(
                TimeProvider.System.GetElapsedTime(started) < TimeSpan.FromSeconds(30),
                $"The pool no longer serves: {name}; {pool.GetStatistics()}");
        }

        Assert.Equal(MaxSize, pool.GetStatistics().Leased);
        Assert.False(pool.TryRent(out _));
        foreach (var rent in rents)
        {
            (await rent).Dispose();
        }
    }
}
