namespace Poolhouse.Testing.Tests;

/// <summary>The checker must find violations and accept correct histories.</summary>
public sealed class Histories
{
    private readonly object _item = new();
    private readonly object _other = new();

    [Fact]
    public void A_good_history_is_accepted()
    {
        HistoryRent[] rents = [new(_item, 2, 3, Ending: 6), new(_other, 4, 7, Queued: 5), new(_item, 8, 9)];
        HistoryLife[] lives = [new(_item, 1), new(_other, 5)];

        Assert.Empty(HistoryChecker.FindViolations(rents, lives, maxLive: 2));
    }

    [Fact]
    public void Two_owners_at_once_are_found() => Assert.NotNull(HistoryChecker.FindSharedItem(
        [new(_item, 1, 2, Ending: 5), new(_item, 3, 4, Ending: 6)]));

    [Fact]
    public void An_owner_after_a_missing_return_is_found() => Assert.NotNull(HistoryChecker.FindSharedItem(
        [new(_item, 1, 2), new(_item, 3, 4)]));

    [Fact]
    public void Owners_of_different_items_may_overlap() => Assert.Null(HistoryChecker.FindSharedItem(
        [new(_item, 1, 2, Ending: 5), new(_other, 3, 4, Ending: 6)]));

    [Fact]
    public void Too_many_items_alive_are_found()
    {
        HistoryLife[] lives = [new(_item, 1, Destroying: 3), new(_other, 2)];

        Assert.NotNull(HistoryChecker.FindTooManyAlive(lives, maxLive: 1));
        Assert.Null(HistoryChecker.FindTooManyAlive(lives, maxLive: 2));
    }

    [Fact]
    public void An_item_that_is_destroyed_while_it_is_leased_is_found() => Assert.NotNull(HistoryChecker.FindUseOfDead(
        [new(_item, 2, 3, Ending: 6)], [new(_item, 1, Destroying: 5)]));

    [Fact]
    public void An_item_that_is_rented_after_its_end_is_found() => Assert.NotNull(HistoryChecker.FindUseOfDead(
        [new(_item, 6, 7, Ending: 8)], [new(_item, 1, Destroying: 5)]));

    [Fact]
    public void Overtaking_a_queued_caller_is_found() => Assert.NotNull(HistoryChecker.FindOvertaking(
        [new(_item, 1, 2, Ending: 6), new(_item, 7, 8, Ending: 10), new(_item, 3, 11, Queued: 4)], []));

    [Fact]
    public void A_caller_served_after_a_queued_one_is_accepted() => Assert.Null(HistoryChecker.FindOvertaking(
        [new(_item, 1, 2, Ending: 6), new(_item, 3, 8, Queued: 4, Ending: 10), new(_item, 7, 11)], []));

    [Fact]
    public void A_caller_whose_thread_resumed_late_was_not_overtaken() => Assert.Null(HistoryChecker.FindOvertaking(
        [new(_item, 1, 2, Ending: 6), new(_item, 3, 20, Queued: 4), new(_other, 7, 8)], []));

    [Fact]
    public async Task A_rent_is_copied_completely_or_not_at_all()
    {
        var incomplete = 0;
        for (var round = 0; round < 1_000; round++)
        {
            var history = new HistoryRecorder();
            var ticket = history.Call();
            var renting = Task.Run(() =>
            {
                ticket.Queued();
                ticket.Rented(_item);
                ticket.Ending();
            });
            while (!renting.IsCompleted)
            {
                incomplete += history.GetRents().Count(static rent => rent.Rented == 0 || rent.Ending == 0);
            }

            await renting;
        }

        Assert.Equal(0, incomplete);
    }

    [Fact]
    public void The_checker_sees_the_recorded_events()
    {
        var recorder = new HistoryRecorder();
        recorder.Created(_item);
        var first = recorder.Call();
        first.Rented(_item);
        recorder.Call();
        Assert.Empty(recorder.FindViolations(1));

        recorder.Call().Rented(_item);
        Assert.Single(recorder.FindViolations(1));
        recorder.Destroying(_item);
        recorder.Destroying(_item);
        Assert.Equal(3, recorder.FindViolations(1).Count);
    }
}
