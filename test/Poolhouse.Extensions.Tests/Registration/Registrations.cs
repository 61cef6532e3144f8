using System.Diagnostics.Metrics;
using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.ObjectPool;
using Poolhouse.Testing;
using Poolhouse.Workers;

namespace Poolhouse.Extensions.Tests.Registration;

public sealed class Registrations
{
    private readonly ServiceCollection _services = new();

    public static TheoryData<string> Kinds => ["resource", "policy", "keyed", "shared", "nested", "worker", "object"];

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task A_pool_is_one_singleton_that_has_its_name_and_belongs_to_the_container(string kind)
    {
        Add(kind, "main");
        var provider = _services.BuildServiceProvider(validateScopes: true);
        var info = Assert.Single(provider.GetRequiredService<IPools>());

        Assert.Equal("main", info.Name);
        Assert.Equal("main", info.Pool.Name);
        Assert.Same(info.Pool, provider.GetRequiredKeyedService(info.PoolType, "main"));
        Assert.Null(provider.GetService(info.PoolType));

        await provider.DisposeAsync();
        await provider.DisposeAsync();
        Assert.True(IsClosed(info.Pool), "The container disposes of its pools.");
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_pool_without_a_name_is_named_after_its_items_and_is_resolved_without_a_key(string kind)
    {
        Add(kind, name: null);
        using var provider = _services.BuildServiceProvider(validateScopes: true);
        var info = Assert.Single(provider.GetRequiredService<IPools>());

        Assert.Equal(info.ItemType.Name, info.Name);
        Assert.Same(info.Pool, provider.GetRequiredService(info.PoolType));
        Assert.Same(info.Pool, provider.GetRequiredKeyedService(info.PoolType, info.Name));
    }

    [Fact]
    public void A_name_used_twice_is_an_error_that_names_both_registrations()
    {
        Add("resource", "main");

        var failure = Assert.Throws<InvalidOperationException>(() => Add("worker", "MAIN"));

        Assert.Equal(
            "There are two pools named 'MAIN': one of AddResourcePool<Link>, one of AddWorkerPool<Link>. Give one of them " +
            "another name.", failure.Message);
    }

    [Fact]
    public void Two_pools_of_one_type_are_distinguished_by_name_in_services_and_options()
    {
        _services.AddResourcePool<Link>((_, token) => Link.OpenAsync(token), "small", options => options.MaxSize = 1);
        _services.AddResourcePool<Link>((_, token) => Link.OpenAsync(token), "large").Configure(options => options.MaxSize = 9);
        using var provider = _services.BuildServiceProvider();

        Assert.Equal(1, provider.GetRequiredKeyedService<ResourcePool<Link>>("small").GetStatistics().MaxSize);
        Assert.Equal(9, provider.GetRequiredKeyedService<ResourcePool<Link>>("large").GetStatistics().MaxSize);
    }

    [Fact]
    public void Options_can_be_set_before_the_pool_is_registered()
    {
        _services.ConfigureAll<SharedResourcePoolOptions>(options => options.Pool.RentTimeout = TimeSpan.FromSeconds(5));
        SharedResourcePoolOptions? last = null;
        _services.AddSharedPool(
            _ => new ScriptedPolicy<Link>(() => new Link()), "main", options => (options.Pool.MaxSize, last) = (2, options));
        using var provider = _services.BuildServiceProvider();

        _ = provider.GetRequiredKeyedService<SharedResourcePool<Link>>("main");

        Assert.Equal((2, TimeSpan.FromSeconds(5)), (last!.Pool.MaxSize, last.Pool.RentTimeout));
    }

    [Fact]
    public async Task Items_and_settings_can_depend_on_services()
    {
        _services.AddSingleton(new Limits(3));
        _services.AddResourcePool<Link>((services, token) =>
        {
            services.GetRequiredService<Limits>();
            return Link.OpenAsync(token);
        }).Configure((services, options) => options.MaxSize = services.GetRequiredService<Limits>().Size);
        await using var provider = _services.BuildServiceProvider();
        var pool = provider.GetRequiredService<ResourcePool<Link>>();

        await using var lease = await pool.RentAsync(TestContext.Current.CancellationToken);
        Assert.Equal(3, pool.GetStatistics().MaxSize);
    }

    [Fact]
    public async Task A_policy_type_gets_its_dependencies_and_is_disposed_of_after_the_pool()
    {
        _services.AddSingleton(new Limits(1));
        _services.AddResourcePool<Link, LinkPolicy>("main", options => options.MaxSize = 1);
        var provider = _services.BuildServiceProvider();
        var policy = provider.GetRequiredKeyedService<LinkPolicy>("main");
        var pool = provider.GetRequiredKeyedService<ResourcePool<Link>>("main");
        (await pool.RentAsync(TestContext.Current.CancellationToken)).Dispose();

        await provider.DisposeAsync();

        Assert.Equal(["destroyed", "disposed"], policy.Calls);
    }

    [Fact]
    public async Task The_policy_type_of_a_worker_pool_gets_its_dependencies()
    {
        _services.AddSingleton(new Limits(7));
        _services.AddWorkerPool<Counter, CounterPolicy>("main", options => options.MaxWorkers = 1);
        await using var provider = _services.BuildServiceProvider();
        var pool = provider.GetRequiredKeyedService<WorkerPool<Counter>>("main");

        Assert.Equal(7, await pool.RunAsync(static counter => counter.Start));
    }

    [Fact]
    public void The_clock_of_the_container_is_used_unless_the_app_sets_another()
    {
        var (clock, other) = (new ManualTimeProvider(), new ManualTimeProvider());
        _services.AddSingleton<TimeProvider>(clock);
        Add("resource", "container");
        ResourcePoolOptions? explicitly = null;
        _services.AddResourcePool<Link>((_, token) => Link.OpenAsync(token), "explicit").Configure(options =>
        {
            (options.MaxSize, options.TimeProvider, explicitly) = (1, other, options);
        });
        using var provider = _services.BuildServiceProvider();

        Assert.Equal(2, provider.GetRequiredService<IPools>().ToList().Count);
        Assert.Same(other, explicitly!.TimeProvider);
        provider.GetRequiredKeyedService<ResourcePool<Link>>("container").Rent().Dispose();
        Assert.True(clock.ArmedTimers > 0, "The pool of the container's clock has armed none of its timers.");
    }

    [Fact]
    public void An_item_of_a_scope_is_rented_at_first_use_and_returned_when_the_scope_ends()
    {
        _services.AddPooledScoped<Sheet>(ReuseAtOnce);
        using var provider = _services.BuildServiceProvider(validateScopes: true);
        var pool = provider.GetRequiredService<ObjectPool<Sheet>>();
        var statistics = provider.GetRequiredService<TieredObjectPool<Sheet>>();

        using (provider.CreateScope())
        {
            Assert.Equal(0, statistics.GetStatistics().Leased);
        }

        Sheet sheet;
        var scope = provider.CreateScope();
        sheet = scope.ServiceProvider.GetRequiredService<Sheet>();
        Assert.Same(sheet, scope.ServiceProvider.GetRequiredService<Sheet>());
        sheet.Text = "used";
        scope.Dispose();

        Assert.Equal("", sheet.Text);
        Assert.Same(sheet, pool.Get());
    }

    [Fact]
    public void A_disposable_type_cannot_be_returned_by_a_scope() =>
        Assert.Contains(
            "is disposable", Assert.Throws<InvalidOperationException>(() => _services.AddPooledScoped<Stream>()).Message,
            StringComparison.Ordinal);

    [Fact]
    public void AddPooled_chains_and_ConfigurePool_sets_the_options_of_a_type()
    {
        _services.ConfigurePool<Sheet>(options => options.MaxRetained = 7);
        _services.AddPooled<Sheet>().AddPooled<IDisposable, Ledger>(options => options.MaxRetained = 5);
        using var provider = _services.BuildServiceProvider();

        Assert.Equal(7, provider.GetRequiredService<TieredObjectPool<Sheet>>().MaxRetained);
        var ledgers = provider.GetRequiredService<ObjectPool<IDisposable>>();
        var ledger = ledgers.Get();
        Assert.IsType<Ledger>(ledger);
        ledgers.Return(ledger);
    }

    [Fact]
    public void A_type_that_the_container_cannot_create_is_pooled_with_a_delegate()
    {
        _services.AddSingleton(new Limits(7));
        _services.AddObjectPool(
            provider => new StringBuilder(provider.GetRequiredService<Limits>().Size),
            text => text.Clear().Capacity is 7,
            "texts",
            options => (options.MaxRetained, options.Paranoid) = (5, ParanoidMode.Off));
        using var provider = _services.BuildServiceProvider();
        var pool = provider.GetRequiredKeyedService<ObjectPool<StringBuilder>>("texts");

        var text = pool.Get();
        pool.Return(text.Append("used"));

        Assert.Same(text, pool.Get());
        Assert.Equal(("", 7), (text.ToString(), text.Capacity));
        text.Append("longer than seven");
        pool.Return(text);
        Assert.NotSame(text, pool.Get());
        Assert.Equal(5, provider.GetRequiredKeyedService<TieredObjectPool<StringBuilder>>("texts").MaxRetained);
    }

    [Fact]
    public void Items_of_a_delegate_reset_themselves_unless_the_app_resets_them()
    {
        _services.AddObjectPool(_ => new Sheet());
        _services.AddObjectPool(_ => new Sheet(), sheet => sheet.Text is "kept", "kept", ReuseAtOnce);
        using var provider = _services.BuildServiceProvider();
        var (pool, keeping) =
            (provider.GetRequiredService<ObjectPool<Sheet>>(), provider.GetRequiredKeyedService<ObjectPool<Sheet>>("kept"));
        var (sheet, kept) = (pool.Get(), keeping.Get());
        (sheet.Text, kept.Text) = ("used", "kept");
        pool.Return(sheet);
        keeping.Return(kept);

        sheet = pool.Get();
        Assert.Equal("", sheet.Text);
        Assert.Equal("kept", keeping.Get().Text);
        pool.Return(sheet);
    }

    // The check of the run for leaks turns on paranoid mode, in which the item returned last is not rented next.
    private static void ReuseAtOnce(ObjectPoolOptions options) => options.Paranoid = ParanoidMode.Off;

    [Fact]
    public void AddPoolhouse_replaces_the_provider_of_object_pools_and_leaves_shared_pools_open()
    {
        _services.AddSingleton<ObjectPoolProvider>(new DefaultObjectPoolProvider());
        _services.AddPoolhouse().AddPoolhouse();
        using (var provider = _services.BuildServiceProvider())
        {
            Assert.IsType<TieredObjectPoolProvider>(provider.GetRequiredService<ObjectPoolProvider>());
            Assert.Same(StreamPool.Shared, provider.GetRequiredService<StreamPool>());
            Assert.Same(TieredArrayPool<byte>.Shared, provider.GetRequiredService<TieredArrayPool<byte>>());
        }

        StreamPool.Shared.Rent().Dispose();
    }

    [Fact]
    public void Pools_of_the_registered_provider_use_the_clock_and_the_meters_of_the_container()
    {
        var clock = new ManualTimeProvider();
        _services.AddSingleton<TimeProvider>(clock).AddMetrics().AddPoolhouse();
        using var provider = _services.BuildServiceProvider();
        var meters = provider.GetRequiredService<IMeterFactory>();
        var pool = provider.GetRequiredService<ObjectPoolProvider>().Create<Sheet>();
        using var disposal = Assert.IsType<TieredObjectPool<Sheet>>(pool);
        var published = 0;
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, _) => published += ReferenceEquals(instrument.Meter.Scope, meters) ? 1 : 0,
        };
        listener.Start();

        pool.Return(pool.Get());

        Assert.True(published > 0, "The container's meter factory has created no instruments.");
        Assert.Equal(1, clock.ArmedTimers);
    }

    [Fact]
    public void A_resettable_item_is_reset_although_the_type_of_the_pool_is_not_resettable()
    {
        _services.AddObjectPool<ISheet>(_ => new Sheet());
        _services.AddObjectPool<object>(_ => new object(), name: "plain");
        using var provider = _services.BuildServiceProvider();
        var sheets = provider.GetRequiredService<ObjectPool<ISheet>>();
        var plain = provider.GetRequiredKeyedService<ObjectPool<object>>("plain");
        var (sheet, item) = ((Sheet)sheets.Get(), plain.Get());
        sheet.Text = "secret";

        sheets.Return(sheet);
        plain.Return(item);

        Assert.Equal("", sheet.Text);
        Assert.Equal(0, provider.GetRequiredService<TieredObjectPool<ISheet>>().GetStatistics().Refused);
        Assert.Equal(0, provider.GetRequiredKeyedService<TieredObjectPool<object>>("plain").GetStatistics().Refused);
    }

    [Fact]
    public void A_reset_of_the_app_replaces_that_of_the_item()
    {
        _services.AddObjectPool<ISheet>(_ => new Sheet(), static _ => true);
        using var provider = _services.BuildServiceProvider();
        var pool = provider.GetRequiredService<TieredObjectPool<ISheet>>();
        var sheet = (Sheet)pool.Get();
        sheet.Text = "kept";

        pool.Return(sheet);

        Assert.Equal("kept", sheet.Text);
    }

    [Fact]
    public void What_a_kind_of_pool_cannot_do_is_an_error_of_the_call()
    {
        var keyed = _services.AddKeyedPool<string, Link>((_, _) => new ScriptedPolicy<Link>(() => new Link()));
        var cache = _services.AddObjectPool<Sheet>();

        Assert.Throws<InvalidOperationException>(() => keyed.WarmUp(1));
        Assert.Throws<InvalidOperationException>(() => cache.DrainOnShutdown());
        Assert.Throws<InvalidOperationException>(() => cache.AddObserver(_ => (ResourcePoolObserver)null!));
        Assert.Throws<ArgumentOutOfRangeException>(() => cache.WarmUp(0));
        Assert.Throws<ArgumentException>(() => _services.AddObjectPool<Ledger>("a:b"));
    }

    private static bool IsClosed(IPool pool)
    {
        try
        {
            switch (pool)
            {
                case ResourcePool<Link> links:
                    links.TryRent(out _);
                    break;
                case KeyedResourcePool<string, Link> keyed:
                    keyed.TryRent("a", out _);
                    break;
                case SharedResourcePool<Link> shared:
                    shared.TryRent(out _);
                    break;
                case NestedResourcePool<Link, Sheet> nested:
                    nested.TryRent(out _);
                    break;
                case WorkerPool<Link> workers:
                    workers.Run(_ => { }, cancellationToken: TestContext.Current.CancellationToken);
                    break;
                case TieredObjectPool<Sheet> sheets:
                    sheets.Get();
                    break;
                default:
                    throw new InvalidOperationException($"How does a test see that a {pool.GetType()} is closed?");
            }

            return false;
        }
        catch (ObjectDisposedException)
        {
            return true;
        }
    }

    private void Add(string kind, string? name)
    {
        switch (kind)
        {
            case "resource":
                _services.AddResourcePool<Link>((_, token) => Link.OpenAsync(token), name, options => options.MaxSize = 2);
                break;
            case "policy":
                _services.AddResourcePool<Link>(
                    _ => new ScriptedPolicy<Link>(() => new Link()), name, options => options.MaxSize = 2);
                break;
            case "keyed":
                _services.AddKeyedPool<string, Link>((_, _) => new ScriptedPolicy<Link>(() => new Link()), name, options =>
                {
                    options.MaxSize = 4;
                    options.Pool.MaxSize = 2;
                });
                break;
            case "shared":
                _services.AddSharedPool(
                    _ => new ScriptedPolicy<Link>(() => new Link()), name, options => options.Pool.MaxSize = 2);
                break;
            case "nested":
                _services.AddNestedPool<Link, Sheet>(_ => new ScriptedPolicy<Link>(() => new Link()), _ =>
                    new SheetPolicy(), name, options =>
                {
                    options.ParentPool.MaxSize = 1;
                    options.ChildPool.MaxSize = 2;
                });
                break;
            case "worker":
                _services.AddWorkerPool(_ => new Link(), name, options => options.MaxWorkers = 1);
                break;
            default:
                _services.AddObjectPool<Sheet>(name);
                break;
        }
    }

    internal sealed record Limits(int Size);

    internal interface ISheet
    {
    }

    internal sealed class Sheet : ISheet, IResettable
    {
        public string Text { get; set; } = "";

        public bool TryReset()
        {
            Text = "";
            return true;
        }
    }

    internal sealed class Ledger : IDisposable
    {
        public void Dispose()
        {
        }
    }

    internal sealed class SheetPolicy : NestedPolicy<Link, Sheet>
    {
        public override ValueTask<Sheet> CreateAsync(Link parent, CancellationToken cancellationToken) => new(new Sheet());
    }

    internal sealed class LinkPolicy(Limits limits) : ResourcePolicy<Link>, IDisposable
    {
        public List<string> Calls { get; } = [];

        public override ValueTask<Link> CreateAsync(CancellationToken cancellationToken)
        {
            ArgumentNullException.ThrowIfNull(limits);
            return Link.OpenAsync(cancellationToken);
        }

        public override ValueTask DestroyAsync(Link item, DestroyReason reason)
        {
            Calls.Add("destroyed");
            return default;
        }

        public void Dispose() => Calls.Add("disposed");
    }

    internal sealed record Counter(int Start);

    internal sealed class CounterPolicy(Limits limits) : WorkerPolicy<Counter>
    {
        public override Counter Create(CancellationToken cancellationToken) => new(limits.Size);
    }
}
