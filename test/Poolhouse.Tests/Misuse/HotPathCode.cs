using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
using Poolhouse.Buffers;
using Poolhouse.Caching.Threads;
using Poolhouse.Kernel.Threading;
using Poolhouse.TestSupport;

namespace Poolhouse.Tests.Misuse;

/// <summary>The rule: while paranoid mode is off, a rent and a return execute not one instruction for it.</summary>
// The JIT compiles each hot path twice: that of the pool, and that of a twin without paranoid mode. Both must be the same
// instructions. The listing comes from a second run of this program, because the JIT reads its settings at its start.
// Memory pools, leases and streams have no twin: see HotPathMembers.
public sealed partial class HotPathCode
{
    [Theory]
    [InlineData(nameof(HotPaths.Objects), nameof(HotPaths.BareObjects))]
    [InlineData(nameof(HotPaths.Arrays), nameof(HotPaths.BareArrays))]
    public async Task A_rent_and_a_return_have_the_instructions_of_a_pool_without_paranoid_mode(string pool, string twin)
    {
        var listing = await ListAsync();

        Assert.True(listing[pool].Count > 20, "The hot path was not inlined.");
        Assert.Equal(listing[twin], listing[pool]);
    }

    /// <summary>What the second run executes.</summary>
    [Fact(Explicit = true)]
    public void Runs_every_hot_path()
    {
        using var objects = new TieredObjectPool<Leaf>(static () => new Leaf(1, null!), options: new ObjectPoolOptions());
        using var arrays = new TieredArrayPool<byte>();
        HotPaths.Objects(objects);
        HotPaths.BareObjects(new HotPaths.BareObjectPool(objects));
        HotPaths.Arrays(arrays);
        HotPaths.BareArrays(new HotPaths.BareArrayPool(arrays));
    }

    private static async Task<Dictionary<string, List<string>>> ListAsync()
    {
        var path = Path.GetTempFileName();
        try
        {
            await OwnProcess.RunAsync(
                typeof(HotPathCode),
                nameof(Runs_every_hot_path),
                ("DOTNET_TieredCompilation", "0"),
                ("DOTNET_JitDisasm", $"*{nameof(HotPaths)}:*"),
                ("DOTNET_JitDisasmDiffable", "1"),
                ("DOTNET_JitStdOutFile", path));
            return File.ReadAllText(path).Split("; Assembly listing for method ").Skip(1)
                .ToDictionary(
                    static method => NameOfMethod().Match(method).Groups["name"].Value, InstructionsOf, StringComparer.Ordinal);
        }
        finally
        {
            File.Delete(path);
        }
    }

    // Without the names of what is called, because a twin has slow paths of its own, and without the numbers of string literals,
    // which are those of an assembly.
    private static List<string> InstructionsOf(string method)
    {
        var lines = method.Split('\n').Where(static line => line.StartsWith("       ", StringComparison.Ordinal)).ToList();
        return
        [
            .. lines
                .Where((_, index) => !lines.Skip(index + 1).Take(2).Any(IsStringLiteral))
                .Select(static line => Target().Replace(line.Trim(), "${call}")),
        ];
    }

    private static bool IsStringLiteral(string line) => line.Contains("CORINFO_HELP_STRCNS", StringComparison.Ordinal);

    [GeneratedRegex(@":(?<name>\w+)\(", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex NameOfMethod();

    [GeneratedRegex(
        @"^(?<call>(call|tail\.jmp|jmp)\s+).*[\[:].*$", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Target();

    private static class HotPaths
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static void Objects(TieredObjectPool<Leaf> pool) => pool.Return(pool.Get());

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static void BareObjects(BareObjectPool pool) => pool.Return(pool.Get());

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static void Arrays(TieredArrayPool<byte> pool) => pool.Return(pool.Rent(100));

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static void BareArrays(BareArrayPool pool) => pool.Return(pool.Rent(100));

        /// <summary>The stacks of the threads, a reset if there is one, and slow paths.</summary>
        internal sealed class BareObjectPool(TieredObjectPool<Leaf> pool)
        {
            private readonly SlowObjects _cache = new(pool);
            private readonly ThreadStack?[] _stacks = [];
            private readonly bool _resets = pool.MaxRetained < 0;

            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            public Leaf Get()
            {
                var own = ThreadStack.Find(ThreadIndex.Current, _stacks);
                return Unsafe.As<Leaf>(own?.TryPop()) ?? GetSlow(own);
            }

            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            public void Return(Leaf obj)
            {
                ArgumentNullException.ThrowIfNull(obj);
                if (_resets && !_cache.TryReset(obj))
                {
                    return;
                }

                var own = ThreadStack.Find(ThreadIndex.Current, _stacks);
                if (own is null || !own.TryPush(obj))
                {
                    ReturnSlow(own, obj);
                }
            }

            [MethodImpl(MethodImplOptions.NoInlining)]
            private Leaf GetSlow(ThreadStack? own) => _cache.Get(own);

            [MethodImpl(MethodImplOptions.NoInlining)]
            private void ReturnSlow(ThreadStack? own, Leaf item) => _cache.Return(own, item);
        }

        internal sealed class SlowObjects(TieredObjectPool<Leaf> pool)
        {
            public Leaf Get(ThreadStack? _) => pool.Get();

            [MethodImpl(MethodImplOptions.NoInlining)]
            public bool TryReset(Leaf item) => pool.MaxRetained > item.Number;

            public void Return(ThreadStack? _, Leaf item) => pool.Return(item);
        }

        /// <summary>The stacks of the threads by length, a clearing if it is requested, and slow paths.</summary>
        internal sealed class BareArrayPool(TieredArrayPool<byte> pool)
        {
            private readonly SlowArrays _cache = new(pool);
            private readonly ThreadStack?[][] _tables = [.. pool.Cache.Tables.Select(static _ => Array.Empty<ThreadStack?>())];
            private readonly bool _clears = pool.Cache.ClearsOnReturn;
            private readonly bool _isShared = ReferenceEquals(pool, TieredArrayPool<byte>.Shared);

            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            public byte[] Rent(int minimumLength) =>
                FindStack(Buckets.IndexOf(minimumLength)) is { } stack && stack.TryPop() is { } array
                    ? Unsafe.As<byte[]>(array)
                    : _cache.RentSlow(minimumLength);

            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            public void Return(byte[] array, bool clearArray = false)
            {
                ArgumentNullException.ThrowIfNull(array);
                var bucket = Buckets.IndexOf(array.Length);
                if (FindStack(bucket) is not { } stack || array.Length != Buckets.LengthOf(bucket))
                {
                    _cache.ReturnSlow(array, clearArray);
                    return;
                }

                if (_clears || clearArray)
                {
                    Array.Clear(array);
                }

                if (!stack.TryPush(array))
                {
                    _cache.ReturnSlow(array);
                }
            }

            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            private ThreadStack? FindStack(int bucket) => ThreadState<byte>.Current is not { } thread ? null
                : _isShared ? thread.FindShared(bucket)
                : FindPrivateStack(bucket, thread.Number);

            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            private ThreadStack? FindPrivateStack(int bucket, int thread)
            {
                var tables = _tables;
                return (uint)bucket < (uint)tables.Length ? ThreadStack.Find(thread, tables[bucket]) : null;
            }
        }

        internal sealed class SlowArrays(TieredArrayPool<byte> pool)
        {
            [MethodImpl(MethodImplOptions.NoInlining)]
            public byte[] RentSlow(int minimumLength) => pool.Rent(minimumLength);

            [MethodImpl(MethodImplOptions.NoInlining)]
            public void ReturnSlow(byte[] array) => pool.Return(array);

            [MethodImpl(MethodImplOptions.NoInlining)]
            public void ReturnSlow(byte[] array, bool clearArray) => pool.Return(array, clearArray);
        }
    }
}
