namespace Poolhouse.Testing.Tests.Contracts;

/// <summary>The contract must find every seeded bug, by the check for it.</summary>
public sealed class WrongPools
{
    private static readonly SemaphoreSlim _places = new(16);

    // Long enough for every check of a correct pool, on a busy machine.
    private static readonly TimeSpan _longPatience = TimeSpan.FromSeconds(30);

    // For the many bugs that are found by a wait for something that never happens.
    private static readonly TimeSpan _shortPatience = TimeSpan.FromSeconds(1);

    // All at the same time: most of them wait until the contract times out. The load also shows which checks are weak
    // under it.
    private static readonly Lazy<IReadOnlyDictionary<string, Task>> _checks = new(() => WrongVariants.AllChecked.ToDictionary(
        one => one.Name, one => Task.Run(() => ExpectFoundAsync(one.Variant)), StringComparer.Ordinal));

    public static IEnumerable<TheoryDataRow<string>> Bugs =>
        WrongVariants.All.Select(variant => new TheoryDataRow<string>(variant.Bug));

    public static IEnumerable<TheoryDataRow<string>> Hangs =>
        WrongVariants.Hangs().Select(variant => new TheoryDataRow<string>(variant.Bug));

    [Theory]
    [MemberData(nameof(Bugs))]
    public Task Are_found(string bug) => _checks.Value[bug];

    /// <summary>As on a busy machine, a hook ends later than any caller waits.</summary>
    [Theory]
    [MemberData(nameof(Bugs))]
    public Task Are_found_although_hooks_are_late(string bug) => _checks.Value[bug + ", late"];

    /// <summary>One at a time, because they block threads.</summary>
    [Theory]
    [MemberData(nameof(Hangs))]
    public async Task Are_found_although_they_hang(string bug)
    {
        var checking = Task.Run(
            () => FindAsync(WrongVariants.Hangs().Single(one => string.Equals(one.Bug, bug, StringComparison.Ordinal))));
        try
        {
            await checking.WaitAsync(TimeSpan.FromMinutes(3), TestContext.Current.CancellationToken);
        }
        finally
        {
            WrongVariants.Unblock();
        }
    }

    /// <summary>A check must not mistake slowness for a bug.</summary>
    [Fact]
    public async Task A_correct_pool_passes_every_check_although_hooks_are_late()
    {
        var checks = new WrongContract(new WrongVariant("none", "none") { IsLate = true }).Checks;

        await Parallel.ForEachAsync(
            checks, new ParallelOptions { MaxDegreeOfParallelism = 8, CancellationToken = TestContext.Current.CancellationToken },
            async (check, _) => await check.RunAsync());
    }

    /// <summary>
    /// What a check has started must end with it: otherwise, its users would rent and return for the rest of the process.
    /// </summary>
    [Fact]
    public async Task A_failing_check_leaves_no_callers_running()
    {
        var rents = 0;
        var variant = new WrongVariant("nothing is disposed", "Disposal at any moment of rents and returns leaves nothing alive")
        {
            Pool = inner => new WrongPool(inner)
            {
                OnDispose = () => default,
                OnRentAsync = (timeout, token) =>
                {
                    Interlocked.Increment(ref rents);
                    return inner.RentAsync(timeout, token);
                },
            },
        };
        var check = new WrongContract(variant) { Patience = TimeSpan.FromSeconds(1) }.Checks.Single(
            one => string.Equals(one.Name, variant.Check, StringComparison.Ordinal));
        await Assert.ThrowsAsync<ContractViolationException>(check.RunAsync);
        var before = Volatile.Read(ref rents);

        for (var turn = 0; turn < 1_000; turn++)
        {
            await Task.Yield();
        }

        // Three users, each of which may be in the middle of a round.
        Assert.InRange(Volatile.Read(ref rents), before, before + 3);
    }

    [Fact]
    public async Task A_failing_check_leaves_no_served_caller_running()
    {
        Thread? caller = null;
        var variant = new WrongVariant("a lease given twice", "An interrupted caller leaves the queue and keeps nothing")
        {
            Pool = inner =>
            {
                var held = default(Lease<ContractItem>);
                return new WrongPool(inner)
                {
                    OnRented = lease => held = lease,
                    OnRent = (_, _) =>
                    {
                        caller = Thread.CurrentThread;
                        return held;
                    },
                };
            },
        };

        Assert.EndsWith("its rent ended at once.", await CheckAsync(variant, _longPatience), StringComparison.Ordinal);
        Assert.True(caller!.Join(_longPatience));
    }

    [Fact]
    public async Task A_failing_check_reads_no_more_lists_of_leases()
    {
        var lists = 0;
        var lost = WrongVariants.Hangs().Single(one => string.Equals(one.Bug, "leases are lost", StringComparison.Ordinal));
        var variant = lost with
        {
            Pool = inner => new WrongPool(lost.Pool!(inner))
            {
                OnGetLeases = max =>
                {
                    Interlocked.Increment(ref lists);
                    return inner.GetLeases(max);
                },
                OnDispose = () => default,
            },
        };
        await CheckAsync(variant, _shortPatience);
        var before = Volatile.Read(ref lists);

        for (var turn = 0; turn < 100_000; turn++)
        {
            await Task.Yield();
        }

        // The check may be in the middle of a step.
        Assert.InRange(Volatile.Read(ref lists), before, before + 1);
    }

    [Fact]
    public async Task Patience_may_be_infinite()
    {
        var contract = new WrongContract(new WrongVariant("none", "none")) { Patience = Timeout.InfiniteTimeSpan };

        await contract.Checks[0].RunAsync();
    }

    [Fact]
    public void Patience_is_longer_than_no_time()
    {
        var variant = new WrongVariant("none", "none");

        Assert.Throws<ArgumentOutOfRangeException>(() => new WrongContract(variant) { Patience = TimeSpan.Zero });
        Assert.Throws<ArgumentOutOfRangeException>(() => new WrongContract(variant) { Patience = TimeSpan.FromTicks(-1) });
    }

    [Fact]
    public void Names_of_checks_are_unique_and_promises_are_numbered()
    {
        var checks = new WrongContract(new WrongVariant("none", "none")).Checks;

        Assert.Equal(checks.Count, checks.Select(check => check.Name).Distinct(StringComparer.Ordinal).Count());
        Assert.All(checks, check => Assert.Matches("^I[0-9]+$", check.Promise));
    }

    private static async Task ExpectFoundAsync(WrongVariant variant)
    {
        await _places.WaitAsync();
        try
        {
            await FindAsync(variant);
        }
        finally
        {
            _places.Release();
        }
    }

    private static async Task FindAsync(WrongVariant variant)
    {
        if (WrongVariants.NeverObserved(variant) is { } neverObserved)
        {
            var message = await CheckAsync(variant, _shortPatience);
            if (!message.EndsWith(neverObserved + ".", StringComparison.Ordinal))
            {
                // On a busy machine, an earlier wait of the check timed out.
                message = await CheckAsync(variant, _longPatience);
            }

            Assert.EndsWith(neverObserved + ".", message, StringComparison.Ordinal);
        }
        else
        {
            var message = await CheckAsync(variant, _longPatience);
            Assert.DoesNotContain("not observed", message, StringComparison.Ordinal);
            Assert.DoesNotContain("does not return", message, StringComparison.Ordinal);
        }
    }

    private static async Task<string> CheckAsync(WrongVariant variant, TimeSpan patience)
    {
        var contract = new WrongContract(variant) { Patience = patience, Way = variant.Way };
        var check = contract.Checks.Single(one => string.Equals(one.Name, variant.Check, StringComparison.Ordinal));
        return (await Assert.ThrowsAsync<ContractViolationException>(check.RunAsync)).Message;
    }
}
