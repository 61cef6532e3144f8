namespace Poolhouse.Kernel.Misuse;

/// <summary>Observes pools and rents for tests. Poolhouse.Testing installs one; without it, nothing is observed.</summary>
/// <remarks>Must be thread safe, and must not throw.</remarks>
internal abstract class LeaseWatch
{
    /// <summary>The watch of the process; null: none. Pools and options that were created before are not observed.</summary>
    public static LeaseWatch? Installed { get; set; }

    /// <summary>Returns the scope that a rent of the current flow belongs to; null if there is none.</summary>
    public abstract object? FindScope();

    /// <summary>Begins a rent in a scope.</summary>
    /// <param name="scope">The scope, as <see cref="FindScope"/> returned it when the rent was requested.</param>
    /// <param name="pool">The name of the pool.</param>
    /// <param name="clock">The clock of the pool.</param>
    /// <param name="site">When and where the item was rented.</param>
    /// <returns>Ends the rent. May be called more than once.</returns>
    public abstract Action BeginRent(object scope, string pool, PoolClock clock, in LeaseSite site);

    /// <summary>Called when a pool was created.</summary>
    public abstract void OnCreated(IPool pool);

    /// <summary>Called when a pool is disposed, or belongs to the whole process and is never disposed.</summary>
    public abstract void OnDisposed(IPool pool);
}
