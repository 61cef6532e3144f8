using System.Buffers;
using System.Diagnostics.Tracing;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;

namespace Poolhouse.Testing.Tests;

/// <summary>A scope finds everything that was rented in its flow and not returned by its end.</summary>
// Alone: while a scope is active, every pool of the process records where items are rented, which other tests measure as
// allocations.
[CollectionDefinition(nameof(Leaks), DisableParallelization = true)]
[Collection(nameof(Leaks))]
public sealed class Leaks
{
    [Fact]
    public async Task An_item_of_a_resource_pool_that_is_not_returned_is_found_with_its_site_and_age()
    {
        var clock = new ManualTimeProvider();
        var scope = new LeakScope();
        await using var pool = ResourcePool.Create(
            _ => ValueTask.FromResult(new object()),
            new ResourcePoolOptions { MaxSize = 2, Name = "orders", TimeProvider = clock });
        var lease = await RentHereAsync(pool);
        await (await pool.RentAsync(TestContext.Current.CancellationToken)).DisposeAsync();
        clock.Advance(TimeSpan.FromSeconds(90));

        var exception = Assert.Throws<LeakException>(scope.Dispose);

        var leak = Assert.Single(exception.Leaks);
        Assert.Equal((LeakKind.Item, "orders", TimeSpan.FromSeconds(90)), (leak.Kind, leak.PoolName, leak.Age));
        Assert.Contains(nameof(RentHereAsync), leak.Site!.ToString(), StringComparison.Ordinal);
        Assert.Contains(
            "Pool 'orders': an item was not returned; it was rented 90 s ago", exception.Message, StringComparison.Ordinal);
        await lease.DisposeAsync();
    }

    [Fact]
    public void Items_of_pools_that_are_disposed_before_the_end_of_the_scope_are_found()
    {
        var outer = new LeakScope();
        var early = new TieredArrayPool<byte>(new ArrayPoolOptions { Name = "early" });
        early.Rent(16);
        var scope = new LeakScope();
        using (var arrays = new TieredArrayPool<byte>(new ArrayPoolOptions { Name = "arrays" }))
        using (var resources = ResourcePool.Create(
            _ => ValueTask.FromResult(new object()), new ResourcePoolOptions { MaxSize = 2, Name = "resources" }))
        {
            arrays.Rent(16);
            arrays.Return(arrays.Rent(16));
            resources.Rent(TestContext.Current.CancellationToken);
        }

        early.Dispose();

        Assert.Equal(
            ["arrays", "resources"],
            scope.FindLeaks().Select(leak => leak.PoolName).Order(StringComparer.Ordinal));
        Assert.Throws<LeakException>(scope.Dispose);
        Assert.Equal("early", Assert.Single(outer.FindLeaks()).PoolName);
        Assert.Throws<LeakException>(outer.Dispose);
    }

    [Fact]
    public async Task Items_of_pools_that_another_flow_disposes_are_found()
    {
        var scope = new LeakScope();
        var streams = new StreamPool(new StreamPoolOptions { Name = "streams" });
        var resources = new KeyedResourcePool<string, object>(
            static _ => ResourcePolicy.Create(static _ => ValueTask.FromResult(new object())),
            new KeyedResourcePoolOptions<string>
            {
                MaxSize = 2,
                Pool = new ResourcePoolOptions { MaxSize = 2, Name = "resources" },
            });
        streams.Rent();
        await resources.RentAsync("key", TestContext.Current.CancellationToken);
        Task elsewhere;
        using (ExecutionContext.SuppressFlow())
        {
            elsewhere = Task.Run(
                async () =>
                {
                    streams.Dispose();
                    await resources.DisposeAsync();
                },
                TestContext.Current.CancellationToken);
        }

        await elsewhere;
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();

        Assert.Equal(
            ["resources", "streams"],
            scope.FindLeaks().Select(leak => leak.PoolName).Order(StringComparer.Ordinal));
        Assert.Throws<LeakException>(scope.Dispose);
    }

    [Fact]
    public void Items_of_every_cache_that_are_not_returned_are_found()
    {
        var scope = new LeakScope();
        using var objects = new TieredObjectPool<object>(() => new object(), options: new ObjectPoolOptions { Name = "objects" });
        using var arrays = new TieredArrayPool<byte>(new ArrayPoolOptions { Name = "arrays" });
        using var streams = new StreamPool(new StreamPoolOptions { Name = "streams", Arrays = arrays });
        var item = objects.Get();
        var lease = objects.Rent();
        var array = arrays.Rent(16);
        var exact = arrays.RentExact(16);
        var stream = streams.Rent();

        Assert.Equal(
            ["arrays", "arrays", "objects", "objects", "streams"],
            scope.FindLeaks().Select(leak => leak.PoolName).Order(StringComparer.Ordinal));

        objects.Return(item);
        lease.Dispose();
        arrays.Return(array);
        exact.Dispose();
        stream.Dispose();
        scope.Dispose();
    }

    [Fact]
    public void An_array_of_the_shared_pool_of_NET_is_found_unless_it_is_returned()
    {
        var scope = new LeakScope();
        var array = RentShared();
        var leak = Assert.Single(scope.FindLeaks());

        Assert.Equal(LeakKind.SharedArray, leak.Kind);
        Assert.Equal("Array pool of .NET, 1024 elements", leak.PoolName);
        Assert.StartsWith(
            "Array pool of .NET, 1024 elements: an item was not returned", leak.ToString(), StringComparison.Ordinal);
        Assert.Contains(nameof(RentShared), leak.Site!.ToString(), StringComparison.Ordinal);

        ArrayPool<int>.Shared.Return(array);
        scope.Dispose();
    }

    /// <summary>.NET announces a return only after the array can be rented again.</summary>
    [Fact]
    public void An_array_that_is_rented_again_before_its_return_is_announced_belongs_to_the_later_scope()
    {
        var outside = ExecutionContext.Capture()!;
        var pool = ArrayPool<int>.Create(maxArrayLength: 1024, maxArraysPerBucket: 1);
        var scope = new LeakScope();
        LeakScope? later = null;
        int[]? again = null;
        var array = pool.Rent(1000);
        using var returns = new ArrayReturns(() => ExecutionContext.Run(
            outside,
            _ =>
            {
                later = new LeakScope();
                again = pool.Rent(1000);
                Assert.Single(scope.FindLeaks());
            },
            state: null));

        pool.Return(array);

        Assert.Same(array, again);
        Assert.Empty(scope.FindLeaks());
        Assert.Single(later!.FindLeaks());
        pool.Return(again!);
        later.Dispose();
        scope.Dispose();
    }

    [Fact]
    public void Arrays_of_an_ignored_assembly_are_no_leaks_and_those_of_others_are()
    {
        var rentIgnored = RentIn("Ignored.Library");
        var rentOther = RentIn("Other.Library");
        LeakScope.IgnoreArraysOf("ignored.library", "Missing.Library");
        var scope = new LeakScope();

        var ignored = rentIgnored();
        Assert.Empty(scope.FindLeaks());
        var other = rentOther();
        Assert.Single(scope.FindLeaks());

        ArrayPool<int>.Shared.Return(ignored);
        ArrayPool<int>.Shared.Return(other);
        scope.Dispose();
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData(" ")]
    public void An_ignored_assembly_has_a_name(string? name) => Assert.ThrowsAny<ArgumentException>(() =>
        LeakScope.IgnoreArraysOf("Some.Library", name!));

    [Fact]
    public async Task Rents_of_other_flows_do_not_belong_to_the_scope()
    {
        using var begun = new SemaphoreSlim(0);
        using var rented = new SemaphoreSlim(0);
        LeakScope.Enable();
        using var pool = new TieredObjectPool<object>(() => new object());
        object? foreign = null;
        var other = Task.Run(
            async () =>
            {
                await begun.WaitAsync();
                foreign = pool.Get();
                rented.Release();
            },
            TestContext.Current.CancellationToken);
        using (var scope = new LeakScope())
        {
            begun.Release();
            await rented.WaitAsync(TestContext.Current.CancellationToken);
            var own = await Task.Run(pool.Get, TestContext.Current.CancellationToken);
            Assert.Single(scope.FindLeaks());
            pool.Return(own);
        }

        await other;
        pool.Return(foreign!);
    }

    [Fact]
    public void An_inner_scope_has_its_own_rents_and_the_outer_one_continues()
    {
        using var outer = new LeakScope();
        using var pool = new TieredObjectPool<object>(() => new object());
        var first = pool.Get();
        object second;
        using (var inner = new LeakScope())
        {
            Assert.Empty(inner.FindLeaks());
            second = pool.Get();
            Assert.Single(inner.FindLeaks());
            Assert.Single(outer.FindLeaks());
            pool.Return(second);
        }

        second = pool.Get();
        Assert.Equal(2, outer.FindLeaks().Count);
        pool.Return(first);
        pool.Return(second);
    }

    [Fact]
    public async Task Leases_of_keyed_shared_and_nested_pools_are_found_and_their_inner_ones_are_not()
    {
        var scope = new LeakScope();
        var options = new ResourcePoolOptions { MaxSize = 2 };
        var policy = ResourcePolicy.Create(_ => ValueTask.FromResult(new object()));
        await using var keyed = new KeyedResourcePool<string, object>(
            _ => policy, new KeyedResourcePoolOptions<string> { MaxSize = 2, Pool = options });
        await using var shared = new SharedResourcePool<object>(policy, new SharedResourcePoolOptions { Pool = options });
        var one = await keyed.RentAsync("a", TestContext.Current.CancellationToken);
        var two = await shared.RentAsync(TestContext.Current.CancellationToken);

        Assert.Equal(2, scope.FindLeaks().Count);
        await one.DisposeAsync();
        await two.DisposeAsync();
        scope.Dispose();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask<Lease<object>> RentHereAsync(ResourcePool<object> pool) => await pool.RentAsync();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int[] RentShared() => ArrayPool<int>.Shared.Rent(1000);

    /// <summary>A method of an assembly of this name, which rents an array from .NET's shared pool.</summary>
    private static Func<int[]> RentIn(string assembly)
    {
        var type = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName(assembly), AssemblyBuilderAccess.Run)
            .DefineDynamicModule(assembly).DefineType("Library");
        var method = type.DefineMethod("Rent", MethodAttributes.Public | MethodAttributes.Static, typeof(int[]), []);
        method.SetImplementationFlags(MethodImplAttributes.NoInlining);
        var code = method.GetILGenerator();
        code.Emit(OpCodes.Call, typeof(ArrayPool<int>).GetProperty(nameof(ArrayPool<>.Shared))!.GetMethod!);
        code.Emit(OpCodes.Ldc_I4, 5_000);
        code.Emit(OpCodes.Callvirt, typeof(ArrayPool<int>).GetMethod(nameof(ArrayPool<>.Rent))!);
        code.Emit(OpCodes.Stloc, code.DeclareLocal(typeof(int[])));
        code.Emit(OpCodes.Ldloc_0);
        code.Emit(OpCodes.Ret);
        return type.CreateType().GetMethod("Rent")!.CreateDelegate<Func<int[]>>();
    }

    /// <summary>Calls back at the first return of an array by this thread, before older listeners see the event.</summary>
    private sealed class ArrayReturns : EventListener
    {
        private readonly int _thread = Environment.CurrentManagedThreadId;
        private Action? _onReturn;

        public ArrayReturns(Action onReturn) => _onReturn = onReturn;

        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (string.Equals(eventSource.Name, "System.Buffers.ArrayPoolEventSource", StringComparison.Ordinal))
            {
                EnableEvents(eventSource, EventLevel.Verbose);
            }
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            if (_thread == Environment.CurrentManagedThreadId
                && string.Equals(eventData.EventName, "BufferReturned", StringComparison.Ordinal))
            {
                Interlocked.Exchange(ref _onReturn, null)?.Invoke();
            }
        }
    }
}
