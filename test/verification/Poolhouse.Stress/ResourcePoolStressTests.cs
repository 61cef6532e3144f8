using Poolhouse.Testing;

namespace Poolhouse.Stress;

/// <summary>
/// All operations concurrently on a resource pool: every way to rent and to end a lease, and every operator call.
/// </summary>
[Collection(nameof(ObjectPoolStressTests))]
public sealed class ResourcePoolStressTests(ITestOutputHelper output)
{
    private const int MostItems = 4;

    private readonly StressRun _run = new(output);

    [Theory]
    [InlineData(PolicyHooks.None, IdleOrder.Lifo)]
    [InlineData(PolicyHooks.Reset | PolicyHooks.ProveClean, IdleOrder.Lifo)]
    [InlineData(PolicyHooks.Create | PolicyHooks.Validate, IdleOrder.Fifo)]
    public async Task Each_use_reads_its_own_nonce_and_no_item_is_lost(PolicyHooks hooks, IdleOrder order)
    {
        var recorder = new HistoryRecorder();
        var policy = new ScriptedPolicy<Slate>(
            () =>
            {
                var slate = new Slate();
                recorder.Created(slate);
                return slate;
            },
            hooks)
        {
            OnDestroy = recorder.Destroying,
        };
        var pool = new ResourcePool<Slate>(
            policy, new ResourcePoolOptions { MaxSize = MostItems, IdleOrder = order, RentTimeout = TimeSpan.FromMinutes(1) });
        _run.Run(8, random => Step(pool, recorder, random));

        pool.Resize(MostItems);
        Assert.True(SpinWait.SpinUntil(() => IsAtRest(pool.GetStatistics()), TimeSpan.FromMinutes(1)), $"{pool.GetStatistics()}");
        var now = pool.GetStatistics();
        Assert.Equal(now.Created, now.Idle + now.Destroyed + now.Detached);
        Assert.Empty(recorder.FindViolations(MostItems));
        await pool.DisposeAsync();
        Assert.Equal(0, pool.GetStatistics().Live);
        Assert.Equal(policy.Created, pool.GetStatistics().Destroyed + pool.GetStatistics().Detached);
        Assert.Equal(0, policy.DestroyedWrongly);
    }

    private static void Step(ResourcePool<Slate> pool, HistoryRecorder recorder, Random random)
    {
        if (random.Next(200) == 0)
        {
            Operate(pool, random);
        }

        using var cancellation = new CancellationTokenSource();
        var ticket = recorder.Call();
        try
        {
            if (Rent(pool, ticket, cancellation, random) is { } lease)
            {
                Use(lease, ticket, random);
            }
        }
        catch (Exception answer) when (answer is PoolTimeoutException or OperationCanceledException)
        {
            // This caller gave up.
        }
    }

    private static Lease<Slate>? Rent(
        ResourcePool<Slate> pool, HistoryTicket ticket, CancellationTokenSource cancellation, Random random)
    {
        var timeout = random.Next(8) == 0 ? TimeSpan.FromMilliseconds(random.Next(3)) : TimeSpan.FromMinutes(1);
        switch (random.Next(4))
        {
            case 0:
                return pool.TryRent(out var lease) ? lease : null;
            case 1:
                return pool.Rent(timeout, cancellation.Token);
            default:
                var renting = pool.RentAsync(timeout, cancellation.Token).AsTask();
                if (!renting.IsCompleted)
                {
                    ticket.Queued();
                    if (random.Next(8) == 0)
                    {
                        cancellation.Cancel();
                    }
                }

                return renting.GetAwaiter().GetResult();
        }
    }

    private static void Use(Lease<Slate> lease, HistoryTicket ticket, Random random)
    {
        var slate = lease.Value;
        ticket.Rented(slate);
        var nonce = random.NextInt64();
        slate.Nonce = nonce;
        Thread.SpinWait(random.Next(200));
        Assert.Equal(nonce, slate.Nonce);
        End(lease, ticket, random);
    }

    private static void End(Lease<Slate> lease, HistoryTicket ticket, Random random)
    {
        switch (random.Next(40))
        {
            case 0:
                ticket.Ending();
                lease.Discard();
                break;
            case 1:
                ticket.Detaching();
                lease.Detach();
                break;
            case 2:
                lease.Taint();
                ticket.Ending();
                lease.Dispose();
                break;
            default:
                ticket.Ending();
                lease.Dispose();
                lease.Dispose();
                break;
        }
    }

    private static void Operate(ResourcePool<Slate> pool, Random random)
    {
        switch (random.Next(4))
        {
            case 0:
                pool.Resize(random.Next(1, MostItems + 1));
                break;
            case 1:
                pool.Clear();
                break;
            case 2:
                pool.Trim();
                break;
            default:
                pool.Suspend();
                pool.Resume();
                break;
        }
    }

    private static bool IsAtRest(ResourcePoolStatistics now) =>
        now is { Leased: 0, Creating: 0, Validating: 0, Resetting: 0, Destroying: 0, Waiting: 0 };

    private sealed class Slate
    {
        private long _nonce;

        public long Nonce
        {
            get => Volatile.Read(ref _nonce);
            set => Volatile.Write(ref _nonce, value);
        }
    }
}
