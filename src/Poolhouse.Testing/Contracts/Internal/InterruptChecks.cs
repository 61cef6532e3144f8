using Poolhouse.Kernel.Threading;

namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>
/// I3 and I6: <see cref="Thread.Interrupt"/> ends the wait of a synchronous caller, and has no other effect on the pool.
/// </summary>
// Regardless of the contract's way to rent: only callers that block can be interrupted.
internal static class InterruptChecks
{
    public static IEnumerable<(string Promise, string Name, Func<ContractTrial, Task> Run)> All =>
    [
        ("I6", "An interrupted caller leaves the queue and keeps nothing", InterruptedWhileWaitingAsync),
        ("I6", "A caller that is interrupted as its item arrives never keeps it", InterruptRaceAsync),
        ("I6", "Interrupting a caller does not cancel its creation", InterruptedWhileCreatingAsync),
        ("I3", "A return on an interrupted thread returns the item", InterruptedReturnAsync),
    ];

    private static async Task InterruptedWhileWaitingAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        var held = await trial.RentAsync(pool).ConfigureAwait(false);
        var first = await BlockAsync(trial, pool).ConfigureAwait(false);
        var second = await trial.QueueAsync(pool).ConfigureAwait(false);
        first.Interrupt();
        await trial.SoonThrowsAsync<ThreadInterruptedException>(first.Answer).ConfigureAwait(false);
        trial.ExpectEqual(1, pool.GetStatistics().Waiting, "Callers in the queue");
        held.Dispose();
        (await trial.SoonAsync(second, "the item for the caller behind the interrupted one").ConfigureAwait(false)).Dispose();
        trial.ExpectEqual(1L, pool.GetStatistics().Created, "Items created");
    }

    private static async Task InterruptRaceAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        for (var round = 0; round < 50; round++)
        {
            var held = await trial.RentAsync(pool).ConfigureAwait(false);
            var renter = await BlockAsync(trial, pool).ConfigureAwait(false);
            var meeting = new MeetingPoint();
            var interrupting = OwnThread.RunAsync(() =>
            {
                meeting.Meet();
                renter.Interrupt();
            });
            meeting.Meet();
            held.Dispose();
            await interrupting.ConfigureAwait(false);
            try
            {
                (await trial.SoonAsync(renter.Answer, "the caller's answer").ConfigureAwait(false)).Dispose();
            }
            catch (ThreadInterruptedException)
            {
                // The interrupt came first.
            }

            trial.Expect(pool.GetStatistics().Waiting == 0, "A caller that got its answer is still in the queue.");
            (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
            trial.ExpectEqual(1L, pool.GetStatistics().Created, "Items created");
        }
    }

    private static async Task InterruptedWhileCreatingAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1);
        policy.Creating.Outcome = HookOutcome.Hang;
        var renter = await BlockAsync(trial, pool).ConfigureAwait(false);
        await trial.UntilAsync(() => policy.Creating.Running == 1, "the creation begins").ConfigureAwait(false);
        renter.Interrupt();
        await trial.SoonThrowsAsync<ThreadInterruptedException>(renter.Answer).ConfigureAwait(false);
        var patient = await trial.QueueAsync(pool).ConfigureAwait(false);
        policy.Creating.Release();
        (await trial.SoonAsync(patient, "the item created for another caller").ConfigureAwait(false)).Dispose();
        trial.ExpectEqual(1, policy.Creating.Calls, "Creations");
    }

    private static async Task InterruptedReturnAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        await trial.SoonAsync(
            OwnThread.RunAsync(() =>
            {
                CurrentThread.Interrupt();
                try
                {
                    lease.Dispose();
                }
                finally
                {
                    CurrentThread.DiscardInterrupt();
                }
            }),
            "the end of the return").ConfigureAwait(false);
        (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
        trial.ExpectEqual(1L, pool.GetStatistics().Created, "Items created");
    }

    /// <summary>Begins a synchronous rent that has to wait.</summary>
    private static async Task<Renter> BlockAsync(ContractTrial trial, ContractPool pool)
    {
        var before = pool.GetStatistics().Waiting;
        var renter = new Renter(trial, pool);
        await trial.UntilAsync(() => pool.GetStatistics().Waiting > before || renter.HasAnswer, "the caller queues")
            .ConfigureAwait(false);
        trial.Expect(!renter.HasAnswer, "A caller should have had to wait, but its rent ended at once.");
        return renter;
    }

    /// <summary>A caller that blocks on a thread of its own until it is served or interrupted.</summary>
    private sealed class Renter
    {
        private readonly TaskCompletionSource<Lease<ContractItem>> _answer =
            new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly Thread _thread;
        private bool _hasAnswer;
        private bool _wasInterrupted;

        public Renter(ContractTrial trial, ContractPool pool)
        {
            _thread = new Thread(() => Rent(trial, pool)) { IsBackground = true, Name = "Poolhouse contract" };
            _thread.Start();
        }

        /// <summary>Whether the rent has ended.</summary>
        public bool HasAnswer => Volatile.Read(ref _hasAnswer);

        /// <summary>The outcome of the rent; if it succeeded, not before the interrupt.</summary>
        public Task<Lease<ContractItem>> Answer => _answer.Task;

        /// <summary>Once only.</summary>
        public void Interrupt()
        {
            _thread.Interrupt();
            Volatile.Write(ref _wasInterrupted, true);
        }

#pragma warning disable CA1031 // Whatever it is, the check gets it.
        private void Rent(ContractTrial trial, ContractPool pool)
        {
            Lease<ContractItem> lease = default;
            Exception? failure = null;
            try
            {
                lease = pool.Rent(timeout: null, CancellationToken.None);
            }
            catch (Exception other)
            {
                failure = other;
            }

            // An interrupt after the answer must not hit the code that reports it.
            Volatile.Write(ref _hasAnswer, true);
            while (failure is null && !Volatile.Read(ref _wasInterrupted) && !trial.IsOver)
            {
                Thread.Yield();
            }

            CurrentThread.DiscardInterrupt();
            if (failure is null)
            {
                _answer.SetResult(lease);
            }
            else
            {
                _answer.SetException(failure);
            }
        }
#pragma warning restore CA1031
    }
}
