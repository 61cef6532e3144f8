using Poolhouse.Testing.Leaks;

namespace Poolhouse.Testing;

/// <summary>
/// The part of a test in which every rented item must be returned: items of all pools, and arrays of
/// <see cref="System.Buffers.ArrayPool{T}.Shared"/> and the other array pools of .NET.
/// </summary>
/// <remarks>
/// <para>
/// The scope covers the asynchronous flow that created it and the flows that it starts, so that tests which run in parallel do
/// not disturb each other. A scope inside a scope has its own rents. What a flow rents after the end of its scope belongs to the
/// scope around that one or, if there is none, to the <see cref="LeakCheck"/>.
/// </para>
/// <para>
/// Pools track their leases if they are created while tracking is on: from the first scope of the process on, or from
/// <see cref="Enable"/> on. Caches are in paranoid mode then (<see cref="ParanoidMode.Report"/>), unless their options turn it
/// off. Worker pools are not covered. Of the arrays of .NET's own pools, those that .NET, ASP.NET Core or Entity Framework Core
/// rents itself are ignored, because they keep some of them; <see cref="IgnoreArraysOf"/> ignores those of other libraries.
/// </para>
/// <para>
/// Whether a leak is found does not depend on the garbage collector: an item may have been collected, and its pool collected or
/// disposed, before the end of the scope. An item that a finalizer returns is a leak. The scope keeps neither items nor pools
/// alive.
/// </para>
/// <para>Tracking is slow, and meant for tests. Dispose the scope once, at the end of the test.</para>
/// </remarks>
/// <example><code>
/// using var leaks = new LeakScope();
/// </code></example>
public sealed class LeakScope : IDisposable
{
    private readonly RentScope _rents;
    private IReadOnlyList<Leak>? _atEnd;

    /// <summary>Begins a scope for the current asynchronous flow.</summary>
    public LeakScope()
    {
        Enable();
        LeaseTracking.OfFlow = _rents = new RentScope(LeaseTracking.OfFlow);
    }

    /// <summary>
    /// Turns on the tracking of leases in pools that are created from now on. Call it at the start of a test run, in a module
    /// initializer or in a fixture of the assembly, if pools are created before the first scope.
    /// </summary>
    public static void Enable()
    {
        LeaseTracking.Enable();
        SharedArrays.Watch();
    }

    /// <summary>
    /// Ignores arrays that these assemblies rent themselves from .NET's shared pool, from now on and in all scopes and checks: a
    /// library that you cannot change may keep one, or lose it when a connection breaks. Thread safe.
    /// </summary>
    /// <param name="assemblies">The simple names of assemblies, such as <c>Npgsql</c>; upper and lower case are the same.</param>
    /// <exception cref="ArgumentException">A name is null, empty or white space.</exception>
    public static void IgnoreArraysOf(params ReadOnlySpan<string> assemblies)
    {
        foreach (var assembly in assemblies)
        {
            ArgumentException.ThrowIfNullOrWhiteSpace(assembly, nameof(assemblies));
        }

        foreach (var assembly in assemblies)
        {
            SharedArrays.Ignore(assembly);
        }
    }

    /// <summary>Finds items that were rented in this scope and not returned.</summary>
    /// <returns>The oldest leases first; empty if there are none. After the end of the scope, those that it found then.</returns>
    public IReadOnlyList<Leak> FindLeaks() => _atEnd ?? Leak.Find(_rents);

    /// <summary>Ends the scope.</summary>
    /// <exception cref="LeakException">An item that was rented in the scope was not returned.</exception>
    public void Dispose()
    {
        if (_atEnd is not null)
        {
            return;
        }

        LeaseTracking.OfFlow = _rents.Outer;
        _atEnd = FindLeaks();
        _rents.End();
        LeakException.ThrowIfAny(_atEnd);
    }
}
