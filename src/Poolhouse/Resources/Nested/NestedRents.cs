using System.Runtime.CompilerServices;
using Poolhouse.Resources.Engine;

namespace Poolhouse.Resources.Nested;

/// <summary>Turns the engine's leases into leases of children.</summary>
internal static class NestedRents
{
    public static Lease<TChild> Begin<TParent, TChild>(Lease<NestedChild<TParent, TChild>> engineLease)
        where TParent : notnull
        where TChild : notnull =>
        engineLease.Value.Begin(engineLease);

    public static ValueTask<Lease<TChild>> BeginAsync<TParent, TChild>(ValueTask<Lease<NestedChild<TParent, TChild>>> rent)
        where TParent : notnull
        where TChild : notnull =>
#pragma warning disable VSTHRD103 // It has completed.
        rent.IsCompletedSuccessfully
            ? new ValueTask<Lease<TChild>>(Begin(rent.Result))
            : WaitingRent<TParent, TChild>.AfterAsync(rent);
#pragma warning restore VSTHRD103

    /// <summary>What follows the wait of a caller.</summary>
    private sealed class WaitingRent<TParent, TChild>
        : ReusableContinuation<WaitingRent<TParent, TChild>, Lease<NestedChild<TParent, TChild>>, Lease<TChild>>
        where TParent : notnull
        where TChild : notnull
    {
        public static ValueTask<Lease<TChild>> AfterAsync(ValueTask<Lease<NestedChild<TParent, TChild>>> rent) =>
            Take().BeginAsync(rent);

        protected override Lease<TChild> Continue(
            ConfiguredValueTaskAwaitable<Lease<NestedChild<TParent, TChild>>>.ConfiguredValueTaskAwaiter awaiter) =>
#pragma warning disable VSTHRD002 // It has completed.
            NestedRents.Begin(awaiter.GetResult());
#pragma warning restore VSTHRD002
    }
}
