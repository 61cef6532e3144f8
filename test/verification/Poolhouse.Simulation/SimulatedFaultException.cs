namespace Poolhouse.Simulation;

/// <summary>An exception of the simulated server.</summary>
public sealed class SimulatedFaultException : Exception
{
    public SimulatedFaultException()
    {
    }

    public SimulatedFaultException(string message)
        : base(message)
    {
    }

    public SimulatedFaultException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
