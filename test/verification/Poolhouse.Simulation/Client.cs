
namespace Poolhouse.Simulation;

/// <summary>A caller that rents, uses and ends leases in every possible way.</summary>
internal sealed class Client(World world, int number)
{
    private readonly Dice _dice = world.Dice;
    private readonly Referee _referee = world.Referee;
    private readonly SimulatedTime _time = world.Time;
    private Lease<SimulatedItem> _ended;

    /// <summary>Rents and returns during the chaos phase.</summary>
    public async Task LiveAsync()
    {
        while (world.IsChaos)
        {
            await _time.DelayAsync(_dice.Time(0.01, (world.Scenario.Think / (double)Dice.Millisecond) + 0.02));
            if (!world.IsChaos)
            {
                break;
            }

            if (_dice.Chance(0.1))
            {
                UseEndedLease();
            }

            if (_dice.Chance(0.15))
            {
                await TryAsync();
            }
            else
            {
                TimeSpan? timeout = _dice.Chance(0.5) ? null : _dice.Chance(0.1) ? TimeSpan.Zero : _dice.Span(0.5, 1_000);
                await VisitAsync(timeout, _dice.Chance(0.3));
            }
        }
    }

    /// <summary>Rents until it was served the given number of times; without faults, that is soon.</summary>
    public async Task InsistAsync(int visits)
    {
        while (visits > 0)
        {
            await _time.DelayAsync(_dice.Time(0.01, 20));
            visits -= await VisitAsync(Timeout.InfiniteTimeSpan, mayCancel: false) ? 1 : 0;
        }
    }

    private async Task TryAsync()
    {
        try
        {
            _time.Tick();
            var lease = _referee.Call(number, () => world.Pool.TryRent(out var lease) ? lease : default);
            if (lease.IsActive)
            {
                _referee.GivenAtOnce(lease.Value);
                await UseAsync(lease);
            }
        }
        catch (ObjectDisposedException)
        {
            _referee.Require(_referee.IsClosed, "TryRent reports an open pool as closed");
        }
    }

    /// <returns>Whether it got an item.</returns>
    private async Task<bool> VisitAsync(TimeSpan? timeout, bool mayCancel)
    {
        var limit = timeout ?? world.Referee.Options.RentTimeout;
        using var cancellation = mayCancel ? new CancellationTokenSource() : null;
        var token = cancellation?.Token ?? CancellationToken.None;
        _time.Tick();
        var now = _time.Now;
        world.History.Add("rent", number, limit.Ticks);
        var answer =
            _referee.Call(number, () => timeout is { } time ? world.Pool.RentAsync(time, token) : world.Pool.RentAsync(token));
        var atOnce = answer.IsCompleted;
        var ticket = new Ticket(
            number, atOnce ? null : _referee.Newest(), now, limit == Timeout.InfiniteTimeSpan ? Ticket.Never : now + limit.Ticks);
        if (!atOnce)
        {
            _referee.Queue(ticket);
            if (cancellation is not null)
            {
                _time.After(_dice.Time(0.01, 500), () => Cancel(ticket, cancellation));
            }
        }

        try
        {
            var lease = await answer;
            _referee.RequireOwnStack("a waiter's code");
            if (atOnce)
            {
                _referee.GivenAtOnce(lease.Value);
            }
            else
            {
                _referee.Require(ticket.Item == lease.Value, "a caller gets a different item than its waiter was given");
            }

            ticket.IsOver = true;
            await UseAsync(lease);
            return true;
        }
        catch (PoolTimeoutException timedOut)
        {
            world.Tally.Timeouts += atOnce ? 0 : 1;
            _referee.Require(!atOnce || limit == TimeSpan.Zero, "a caller timed out although it did not wait");
            _referee.Require(
                timedOut.Elapsed.Ticks >= limit.Ticks - _time.Jumped,
                $"a caller that may wait {limit} timed out after {timedOut.Elapsed}");
        }
        catch (PoolOverloadedException)
        {
            world.Tally.Refusals++;
            _referee.Require(
                !atOnce || _referee.Options.MaxWaiters < int.MaxValue,
                "a caller is refused although there is no limit of waiters");
        }
        catch (OperationCanceledException)
        {
            world.Tally.Cancellations++;
            _referee.Require(ticket.IsCancelled, "a caller gets a cancellation that was not requested");
        }
        catch (ObjectDisposedException)
        {
            _referee.Require(_referee.IsClosed, "a caller gets ObjectDisposedException from an open pool");
        }
        catch (Exception failure)
            when (failure is PoolUnavailableException or SimulatedFaultException or TimeoutException or InvalidOperationException)
        {
            world.Tally.Timeouts += ticket.Outcome == WaitOutcome.TimedOut ? 1 : 0;
            _referee.Require(
                !atOnce || limit == TimeSpan.Zero || _referee.Options.OutageTimeout == TimeSpan.Zero || Referee.IsOfNull(failure),
                $"a caller that should wait gets {failure.GetType().Name}");
        }

        ticket.IsOver = true;
        _referee.Require(
            atOnce || _time.JumpedAt >= ticket.DecidedAt || _time.Now - ticket.DecidedAt <= world.Threads.Slowest +
                _referee.Grace, $"client {number} gets its outcome too late (I7)");
        return false;
    }

    private void Cancel(Ticket ticket, CancellationTokenSource cancellation)
    {
        if (ticket.IsOver)
        {
            return;
        }

        world.History.Add("cancel", number);
        ticket.IsCancelled = ticket.DecidedAt is null;
        _referee.Call(number, () =>
        {
            cancellation.Cancel();
            return true;
        });
        _referee.Require(ticket.DecidedAt is not null, "a cancellation has no effect at once (I7)");
    }

    private async Task UseAsync(Lease<SimulatedItem> lease)
    {
        var item = lease.Value;
        world.History.Add("got", number, item.Number);
        _referee.Took(item, number);
        if (_dice.Chance(0.8))
        {
            await _time.DelayAsync(_dice.Time(0.01, (world.Scenario.Use / (double)Dice.Millisecond) + 0.02));
        }

        if (!world.Server.IsWell && _dice.Chance(0.04))
        {
            // Leaked: it is disposed much later.
            world.History.Add("forgot", number, item.Number);
            _time.After(_dice.Time(50, 3_000), () => world.Start(EndAsync(lease, item)));
            return;
        }

        await EndAsync(lease, item);
    }

    private async Task EndAsync(Lease<SimulatedItem> lease, SimulatedItem item)
    {
        _referee.Require(lease.IsActive && lease.Value == item, $"the lease of client {number} ended by itself");
        _referee.Require(lease.Info.Uses == item.Uses, $"item {item.Number} was used {item.Uses} times, not {lease.Info.Uses}");
        var way = world.Server.IsWell ? 0 : _dice.Below(100);
        world.History.Add("end", number, item.Number);
        if (way is >= 60 and < 68)
        {
            item.IsTainted = true;
            lease.Taint();
        }
        else if (way is >= 68 and < 70)
        {
            Invalidate(lease, item);
        }

        if (way >= 94)
        {
            End(lease, item, discard: way >= 97);
            return;
        }

        _referee.LetGo(item, number);
        _ended = lease;
        if (way is >= 40 and < 60)
        {
            await _referee.Call(number, () => lease.DisposeAsync());
        }
        else
        {
            _referee.Call(number, () =>
            {
                lease.Dispose();
                return true;
            });
        }
    }

    /// <summary>Ends the lease and the item's time in the pool with it.</summary>
    private void End(Lease<SimulatedItem> lease, SimulatedItem item, bool discard)
    {
        item.Doom = discard ? "discarded" : "detached";
        _referee.LetGo(item, number);
        _ended = lease;
        if (!discard)
        {
            _referee.Detached(item);
        }

        _referee.Call(number, () =>
        {
            if (discard)
            {
                lease.Discard();
                return item;
            }

            return lease.Detach();
        });
    }

    private void Invalidate(Lease<SimulatedItem> lease, SimulatedItem item)
    {
        var spread = _dice.Chance(0.5) ? 0 : _dice.Time(1, 1_000);
        world.History.Add("invalidate", number, spread);
        item.IsTainted = true;
        if (item.Generation == _referee.Generation)
        {
            _referee.Cleared(spread);
        }

        _referee.Call(number, () =>
        {
            world.Pool.Invalidate(lease, TimeSpan.FromTicks(spread));
            return true;
        });
    }

    /// <summary>A misuse: it must not affect the current user of the item (I9, I12).</summary>
    private void UseEndedLease()
    {
        if (_ended == default)
        {
            return;
        }

        world.History.Add("uses an ended lease", number);
        _referee.Require(!_ended.IsActive, "an ended lease is active again");
        _ended.Taint();
        _ended.Dispose();
        _ended.Discard();
        world.Tally.DoubleReturns += 2;
        var detaches = _dice.Chance(0.5);
        world.Tally.DoubleReturns += detaches ? 1 : 0;
        try
        {
            _ = detaches ? _ended.Detach() : _ended.Value;
            _referee.Require(false, "an ended lease gives its item (I12)");
        }
        catch (ObjectDisposedException)
        {
            // As it should be.
        }
    }
}
