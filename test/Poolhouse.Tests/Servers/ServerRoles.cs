using Poolhouse.Servers;

namespace Poolhouse.Tests.Servers;

/// <summary>Pools that require a role of their servers.</summary>
public sealed class ServerRoles
{
    private readonly ServerBench _bench = new();
    private readonly Dictionary<string, ServerRole> _roles = new(StringComparer.Ordinal)
    {
        ["A"] = ServerRole.Standby,
        ["B"] = ServerRole.Primary,
        ["C"] = ServerRole.Standby,
    };

    // An item that is garbage no longer counts.
    private readonly List<object> _created = [];

    private RoleItem? _opened;

    [Fact]
    public void Only_a_primary_serves_a_pool_that_requires_one_and_the_other_items_are_closed()
    {
        var item = Create(RequiredRole.Primary);

        Assert.Equal(("B", "AB", 1), (item.Server, _bench.TakeTried(), _bench.Of("B").Items));
        Assert.Equal(0, _bench.Of("A").Items);
        Assert.Equal(
            (ServerRole.Standby, ServerRole.Primary, ServerRole.Unknown),
            (_bench.Of("A").Role, _bench.Of("B").Role, _bench.Of("C").Role));
    }

    [Fact]
    public void Only_a_standby_serves_a_pool_that_requires_one()
    {
        (_roles["A"], _roles["B"]) = (ServerRole.Primary, ServerRole.Standby);

        Assert.Equal("B", Create(RequiredRole.Standby).Server);
        Assert.Equal("B", Create(RequiredRole.Standby).Server);
        Assert.Equal("ABB", _bench.TakeTried());
    }

    [Fact]
    public void Without_a_standby_the_creation_fails_until_a_primary_is_demoted()
    {
        (_roles["A"], _roles["C"]) = (ServerRole.Primary, ServerRole.Primary);
        Assert.True(Assert.Throws<NoServerAvailableException>(() => Create(RequiredRole.Standby)).IsRoleMissing);

        _roles["C"] = ServerRole.Standby;

        Assert.Equal("C", Create(RequiredRole.Standby).Server);
    }

    [Fact]
    public void An_item_that_needs_a_standby_is_replaced_when_its_server_is_known_to_be_promoted()
    {
        Create(RequiredRole.Primary);
        var item = Create(RequiredRole.Standby);
        Assert.Equal(("A", false), (item.Server, item.ShouldFailBack()));
        (_roles["A"], _roles["B"]) = (ServerRole.Primary, ServerRole.Standby);
        _bench.Fail("B");

        Assert.Equal("A", Create(RequiredRole.Primary).Server);

        Assert.True(item.ShouldFailBack());
    }

    [Fact]
    public void An_item_of_a_server_with_the_wrong_role_is_disposed()
    {
        _roles["B"] = ServerRole.Standby;

        Assert.Throws<NoServerAvailableException>(() => Create(RequiredRole.Primary));

        Assert.True(_opened!.IsDisposed);
        Assert.All(_bench.Set.GetStatistics(), each => Assert.Equal((0, 0, 0L), (each.Items, each.Creating, each.Failures)));
    }

    [Fact]
    public async Task An_asynchronous_creation_finds_the_primary_too()
    {
        var item = await _bench.Set.CreateAsync(
            (server, token) => new ValueTask<RoleItem>(Open(server, token)), Timeout.InfiniteTimeSpan, RequiredRole.Primary,
            item => item.Role, TestContext.Current.CancellationToken);

        Assert.Equal("B", item.Server);
    }

    [Fact]
    public void The_next_creation_goes_to_the_known_primary()
    {
        Create(RequiredRole.Primary);
        _bench.TakeTried();

        Create(RequiredRole.Primary);

        Assert.Equal("B", _bench.TakeTried());
    }

    [Fact]
    public void Without_a_required_role_no_role_is_read()
    {
        _bench.Create();

        Assert.Equal(("A", ServerRole.Unknown), (_bench.TakeTried(), _bench.Of("A").Role));
    }

    [Fact]
    public void A_standby_is_preferred_where_that_is_required()
    {
        _roles["A"] = ServerRole.Primary;
        _roles["B"] = ServerRole.Standby;

        Assert.Equal("B", Create(RequiredRole.PreferStandby).Server);
        Assert.Equal("B", Create(RequiredRole.PreferStandby).Server);
        Assert.Equal("ABB", _bench.TakeTried());
    }

    [Fact]
    public void A_primary_serves_a_pool_that_prefers_standbys_while_none_is_available()
    {
        _roles["A"] = ServerRole.Primary;
        _bench.Down.UnionWith(["B", "C"]);

        Assert.Equal("A", Create(RequiredRole.PreferStandby).Server);
        Assert.Equal("ABCA", _bench.TakeTried());
    }

    [Fact]
    public void The_last_server_that_may_be_a_standby_is_used_without_a_second_attempt_if_it_is_none()
    {
        var bench = new ServerBench(servers: "B");

        var item = bench.Set.Create(
            bench.CreatePart, Timeout.InfiniteTimeSpan, RequiredRole.PreferStandby, _ => ServerRole.Primary);

        Assert.Equal(("B", "B"), (item.Server, bench.TakeTried()));
    }

    [Fact]
    public void One_set_serves_pools_with_different_requirements()
    {
        Assert.Equal("B", Create(RequiredRole.Primary).Server);
        Assert.Equal("A", Create(RequiredRole.PreferStandby).Server);
        Assert.Equal("A", _bench.Create().Server);
        Assert.All(_bench.Set.GetStatistics(), each => Assert.Equal(ServerHealth.Up, each.Health));
    }

    [Fact]
    public void The_exception_lists_each_server_with_its_failure_or_its_role()
    {
        _bench.Down.UnionWith(["B"]);

        var failure = Assert.Throws<NoServerAvailableException>(() => Create(RequiredRole.Primary));

        Assert.Contains(
            "required role: Primary; 1: Standby, 2: IOException, 3: Standby", failure.Message, StringComparison.Ordinal);
        Assert.Equal((1, true), (failure.Failures.Count, failure.IsRoleMissing));
        Assert.Same(failure.Failures[0], failure.InnerException);
    }

    [Fact]
    public void If_every_server_failed_no_role_is_missing()
    {
        _bench.Down.UnionWith(["A", "B", "C"]);

        Assert.False(Assert.Throws<NoServerAvailableException>(() => Create(RequiredRole.Primary)).IsRoleMissing);
    }

    [Fact]
    public void A_standby_that_was_promoted_is_found_by_the_next_creation()
    {
        Create(RequiredRole.Primary);
        _bench.Fail("B");
        Assert.Throws<NoServerAvailableException>(() => Create(RequiredRole.Primary));

        _roles["C"] = ServerRole.Primary;

        Assert.Equal("C", Create(RequiredRole.Primary).Server);
    }

    [Fact]
    public void One_creation_at_a_time_asks_a_standby_whether_it_was_promoted()
    {
        _roles["B"] = ServerRole.Standby;
        Assert.Throws<NoServerAvailableException>(() => Create(RequiredRole.Primary));
        _bench.TakeTried();
        var gate = new Gate<RoleItem>();
        var asking = _bench.Set.CreateAsync(
            (_, token) => gate.WaitAsync(token), Timeout.InfiniteTimeSpan, RequiredRole.Primary, item => item.Role).AsTask();

        Assert.Throws<NoServerAvailableException>(() => Create(RequiredRole.Primary));

        Assert.Equal("BC", _bench.TakeTried());
        Assert.False(asking.IsCompleted);
    }

    [Fact]
    public void A_lost_role_is_asked_for_again()
    {
        var item = Create(RequiredRole.Primary);
        item.ReportRoleLost();
        Assert.Equal(ServerRole.Unknown, _bench.Of("B").Role);
        (_roles["B"], _roles["C"]) = (ServerRole.Standby, ServerRole.Primary);
        _bench.TakeTried();

        Assert.Equal("C", Create(RequiredRole.Primary).Server);

        Assert.Equal(("BC", ServerRole.Standby), (_bench.TakeTried(), _bench.Of("B").Role));
    }

    [Fact]
    public void Items_that_rely_on_a_lost_role_are_replaced_and_no_others()
    {
        var relying = Create(RequiredRole.Primary);
        var other = Create(RequiredRole.Primary);
        var reading = Create(RequiredRole.PreferStandby);

        other.ReportRoleLost();

        Assert.True(relying.ShouldFailBack());
        Assert.False(reading.ShouldFailBack());

        // It is still the primary.
        Assert.False(Create(RequiredRole.Primary).ShouldFailBack());
        Assert.True(relying.ShouldFailBack());
    }

    [Fact]
    public void Reports_about_items_from_before_the_loss_are_known()
    {
        var items = Enumerable.Range(0, 3).Select(_ => Create(RequiredRole.Primary)).ToList();
        items[0].ReportRoleLost();
        var newer = Create(RequiredRole.Primary);

        items[1].ReportRoleLost();

        Assert.Equal(ServerRole.Primary, _bench.Of("B").Role);
        Assert.False(newer.ShouldFailBack());
    }

    [Fact]
    public void A_report_about_an_item_that_requires_no_primary_has_no_effect()
    {
        Create(RequiredRole.Primary);
        Create(RequiredRole.PreferStandby).ReportRoleLost();
        _bench.Create().ReportRoleLost();

        Assert.Equal((ServerRole.Standby, ServerRole.Primary), (_bench.Of("A").Role, _bench.Of("B").Role));
    }

    [Fact]
    public void An_item_whose_server_lost_its_role_during_the_creation_is_not_used()
    {
        var first = Create(RequiredRole.Primary);
        _roles["C"] = ServerRole.Primary;

        var item = _bench.Set.Create(
            (server, token) =>
            {
                if (server is "B")
                {
                    first.ReportRoleLost();
                }

                return Open(server, token);
            },
            Timeout.InfiniteTimeSpan, RequiredRole.Primary, item => item.Role);

        Assert.Equal("C", item.Server);
    }

    [Fact]
    public void Items_do_not_fail_back_to_a_server_with_the_wrong_role()
    {
        var item = Create(RequiredRole.Primary);

        _bench.Advance(1_000);

        Assert.False(item.ShouldFailBack());
    }

    [Fact]
    public void An_item_on_a_primary_gives_way_to_a_standby_that_comes_back()
    {
        _roles["A"] = ServerRole.Primary;
        _bench.Down.UnionWith(["B", "C"]);
        var item = Create(RequiredRole.PreferStandby);
        Assert.Equal("A", item.Server);
        _bench.Advance(50);
        Assert.False(item.ShouldFailBack());
        _bench.Down.Clear();
        _roles["B"] = ServerRole.Standby;

        _bench.Advance(20);
        Assert.True(item.ShouldFailBack());

        Assert.Equal("B", Create(RequiredRole.PreferStandby).Server);
    }

    [Fact]
    public void An_unknown_role_is_rejected_before_any_server_is_tried()
    {
        var error = Assert.Throws<ArgumentOutOfRangeException>(() => Create((RequiredRole)4));

        Assert.Equal("required", error.ParamName);
        Assert.Empty(_bench.TakeTried());
    }

    private ServerItem<string, RoleItem> Create(RequiredRole required)
    {
        var item = _bench.Set.Create(Open, Timeout.InfiniteTimeSpan, required, item => item.Role);
        _created.Add(item);
        return item;
    }

    private RoleItem Open(string server, CancellationToken cancellationToken)
    {
        _bench.CreatePart(server, cancellationToken);
        return _opened = new RoleItem(_roles[server]);
    }

    private sealed class RoleItem(ServerRole role) : IDisposable
    {
        public ServerRole Role { get; } = role;

        public bool IsDisposed { get; private set; }

        public void Dispose() => IsDisposed = true;
    }
}
