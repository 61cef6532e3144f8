using System.Buffers;
using System.Runtime.InteropServices;
using FsCheck;
using FsCheck.Fluent;
using Poolhouse.Testing;

namespace Poolhouse.Tests.Buffers;

/// <summary>Random rents and returns of every kind on one pool, checked against a plain list of what is held.</summary>
public sealed class BudgetModel
{
    private static readonly Gen<Move> _move =
        from kind in Gen.Frequency((4, Gen.Elements(Kind.Rent, Kind.RentExact, Kind.RentMemory)),
            (5, Gen.Elements(Kind.Return, Kind.EndLease, Kind.DisposeOwner)),
            (1, Gen.Elements(Kind.Discard, Kind.Detach, Kind.Trim, Kind.Tick, Kind.Medium, Kind.High)))
        from length in Gen.Frequency((8, Gen.Choose(1, 300)), (1, Gen.Choose(0, 70_000)))
        from pick in Gen.Choose(0, 99)
        select new Move(kind, length, pick);

    [Theory]
    [InlineData(0)]
    [InlineData(16)]
    [InlineData(100)]
    [InlineData(1024)]
    [InlineData(64 << 10)]
    [InlineData(ArrayPoolOptions.DefaultMaxRetainedBytes)]
    public void The_bound_holds_and_the_counters_balance_for_any_sequence_of_rents_and_returns(long budget) =>
        Sequences.Check(_move, moves => Run(budget, ClearPolicy.References, moves));

    [Theory]
    [InlineData(ClearPolicy.Never)]
    [InlineData(ClearPolicy.Always)]
    [InlineData(ClearPolicy.Sensitive)]
    public void The_clear_policy_does_not_affect_the_counters(ClearPolicy clear) =>
        Sequences.Check(_move, moves => Run(2048, clear, moves));

    [Theory]
    [InlineData(0, ClearPolicy.Never)]
    [InlineData(1024, ClearPolicy.References)]
    [InlineData(64 << 10, ClearPolicy.Sensitive)]
    public void The_same_holds_in_paranoid_mode(long budget, ClearPolicy clear) =>
        Sequences.Check(_move, moves => Run(budget, clear, moves, ParanoidMode.Throw));

    [Fact]
    public void Pools_of_different_element_types_count_separately()
    {
        Sequences.Check(_move, moves =>
        {
            using var bytes = new World<byte>(1024, ClearPolicy.References);
            using var texts = new World<string>(1024, ClearPolicy.References);
            for (var i = 0; i < moves.Length; i++)
            {
                if (i % 2 == 0)
                {
                    bytes.Do(moves[i]);
                }
                else
                {
                    texts.Do(moves[i]);
                }

                bytes.AssertCorrect();
                texts.AssertCorrect();
            }
        });
    }

    private static void Run(long budget, ClearPolicy clear, Move[] moves, ParanoidMode mode = ParanoidMode.Off)
    {
        using var world = new World<byte>(budget, clear, mode);
        foreach (var move in moves)
        {
            world.Do(move);
            world.AssertCorrect();
        }
    }

    public enum Kind
    {
        Rent,
        Return,
        RentExact,
        EndLease,
        RentMemory,
        DisposeOwner,
        Discard,
        Detach,
        Trim,
        Tick,
        Medium,
        High,
    }

    public readonly record struct Move(Kind Kind, int Length, int Pick);

    /// <summary>A pool, and the arrays that its user has rented.</summary>
    private sealed class World<T> : IDisposable
    {
        private readonly ManualTimeProvider _clock = new();
        private readonly MemoryPressureSource _pressure = new();
        private readonly List<T[]> _arrays = [];
        private readonly List<BufferLease<T>> _leases = [];
        private readonly List<IMemoryOwner<T>> _owners = [];
        private readonly TieredArrayPool<T> _pool;
        private readonly TieredMemoryPool<T> _memories;
        private long _rented;
        private long _detached;
        private long _discarded;

        public World(long budget, ClearPolicy clear, ParanoidMode mode = ParanoidMode.Off)
        {
            _pool = new TieredArrayPool<T>(new ArrayPoolOptions
            {
                MaxRetainedBytes = budget,
                Clear = clear,
                Paranoid = mode,
                TimeProvider = _clock,
                MemoryPressure = _pressure,
                IdleTimeout = TimeSpan.FromMinutes(4),
            });
            _memories = new TieredMemoryPool<T>(_pool, reuseOwners: true);
        }

        public void Do(Move move)
        {
            switch (move.Kind)
            {
                case Kind.Rent:
                    Rent(move.Length);
                    break;
                case Kind.RentExact:
                    _leases.Add(_pool.RentExact(move.Length));
                    _rented++;
                    Assert.Equal(move.Length, _leases[^1].Span.Length);
                    break;
                case Kind.RentMemory:
                    _owners.Add(_memories.Rent(Math.Max(1, move.Length)));
                    _rented++;
                    break;
                case Kind.Trim:
                    var retained = _pool.GetStatistics().Retained;
                    Assert.Equal(retained, _pool.Trim());
                    break;
                case Kind.Tick:
                    _clock.Advance(TimeSpan.FromMinutes(1));
                    break;
                case Kind.Medium:
                    _pressure.Report(MemoryPressure.Medium);
                    break;
                case Kind.High:
                    _pressure.Report(MemoryPressure.High);
                    Assert.Equal(0, _pool.GetStatistics().Retained);
                    break;
                default:
                    End(move);
                    break;
            }
        }

        public void AssertCorrect()
        {
            var statistics = _pool.AssertBalanced();
            Assert.InRange(statistics.RetainedBytes, 0, _pool.MaxRetainedBytes);
            Assert.Equal(_rented, statistics.Rented);
            Assert.Equal(_arrays.Count + _leases.Count + _owners.Count, statistics.Leased);
            Assert.Equal(_detached, statistics.Detached);
            Assert.Equal(_discarded, statistics.Discarded);
            Assert.Equal(0, statistics.DoubleReturns);
            AssertEachArrayHasOneHolder();
        }

        public void Dispose()
        {
            // It returns arrays that the pool did not rent out, which paranoid mode refuses.
            if (_pool.MaxRetainedBytes <= 2048 && _pool.Cache.Detector is null)
            {
                _pool.AssertBudgetIsWhole();
                _pool.Trim();
            }

            _memories.Dispose();
            _pool.Dispose();
            while (_arrays.Count + _leases.Count + _owners.Count > 0)
            {
                End(new Move(Kind.Return, 0, 0));
                End(new Move(Kind.EndLease, 0, 0));
                End(new Move(Kind.DisposeOwner, 0, 0));
            }

            Assert.Equal(0, _pool.GetStatistics().Retained);
            Assert.Equal(0, _clock.ArmedTimers);
        }

        private void Rent(int length)
        {
            if (_pool.Rent(length) is { Length: > 0 } array)
            {
                _arrays.Add(array);
                _rented++;
            }
        }

        private void End(Move move)
        {
            switch (move.Kind)
            {
                case Kind.Return when TryTake(_arrays, move.Pick, out var array):
                    _pool.Return(array);
                    break;
                case Kind.DisposeOwner when TryTake(_owners, move.Pick, out var owner):
                    owner.Dispose();
                    break;
                case Kind.EndLease when TryTake(_leases, move.Pick, out var lease):
                    lease.Dispose();
                    Assert.False(lease.IsActive);
                    break;
                case Kind.Discard when TryTake(_leases, move.Pick, out var lease):
                    lease.Discard();
                    _discarded++;
                    break;
                case Kind.Detach when TryTake(_leases, move.Pick, out var lease):
                    Assert.Equal(lease.Length, lease.Detach().Count);
                    _detached++;
                    break;
                default:
                    break;
            }
        }

        private void AssertEachArrayHasOneHolder()
        {
            var held = new HashSet<T[]>(ReferenceEqualityComparer.Instance);
            Assert.All(_arrays, array => Assert.True(held.Add(array)));
            Assert.All(_leases, lease => Assert.True(held.Add(lease.Segment.Array!)));
            Assert.All(_owners, owner => Assert.True(held.Add(ArrayOf(owner.Memory))));
        }

        private static T[] ArrayOf(Memory<T> memory)
        {
            Assert.True(MemoryMarshal.TryGetArray<T>(memory, out var segment));
            return segment.Array!;
        }

        private static bool TryTake<TItem>(List<TItem> items, int pick, out TItem item)
        {
            if (items.Count == 0)
            {
                item = default!;
                return false;
            }

            item = items[pick % items.Count];
            items.RemoveAt(pick % items.Count);
            return true;
        }
    }
}
