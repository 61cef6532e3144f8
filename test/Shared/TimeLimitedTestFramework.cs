using System.Globalization;
using System.Reflection;
using Poolhouse.TestSupport;
using Xunit.Sdk;
using Xunit.v3;

[assembly: Xunit.TestFramework(typeof(TimeLimitedTestFramework))]

namespace Poolhouse.TestSupport;

/// <summary>
/// Runs tests as xunit does, but ends the wait for a test that hangs, so that the report of its project is not lost.
/// </summary>
/// <remarks>
/// A test without a timeout of its own fails after <see cref="Limit"/>, with the statistics of every live pool and the stacks of
/// all threads in its message. Its token is cancelled then; a test that does not observe it cannot be stopped, and keeps its
/// thread until the process ends. xunit has no default timeout, and its own does not apply to synchronous tests. The runners in
/// between exist only to reach the innermost one.
/// </remarks>
public sealed class TimeLimitedTestFramework : XunitTestFramework
{
    /// <summary>How long a test may take: 4 minutes, several times what the longest one takes on two busy cores, or the number of
    /// seconds in the environment variable POOLHOUSE_TEST_LIMIT.</summary>
    public static TimeSpan Limit { get; } = TimeSpan.FromSeconds(
        int.TryParse(
            System.Environment.GetEnvironmentVariable("POOLHOUSE_TEST_LIMIT"), CultureInfo.InvariantCulture, out var seconds)
                ? seconds
                : 240);

    protected override ITestFrameworkExecutor CreateExecutor(Assembly assembly) =>
        new Executor(new XunitTestAssembly(assembly, configFilePath: null));

    private sealed class Executor(IXunitTestAssembly testAssembly) : XunitTestFrameworkExecutor(testAssembly)
    {
        public override async ValueTask RunTestCases(
            IReadOnlyCollection<IXunitTestCase> testCases,
            IMessageSink executionMessageSink,
            ITestFrameworkExecutionOptions executionOptions,
            CancellationToken cancellationToken) =>
            await new AssemblyRunner().Run(TestAssembly, testCases, executionMessageSink, executionOptions, cancellationToken);
    }

    private sealed class AssemblyRunner : XunitTestAssemblyRunner
    {
        protected override ValueTask<RunSummary> RunTestCollection(
            XunitTestAssemblyRunnerContext ctxt, IXunitTestCollection testCollection,
            IReadOnlyCollection<IXunitTestCase> testCases) =>
            new CollectionRunner().Run(
                testCollection,
                testCases,
                ctxt.ExplicitOption,
                ctxt.MessageBus,
                ctxt.Aggregator.Clone(),
                ctxt.CancellationTokenSource,
                ctxt.ParallelMode,
                ctxt.Scheduler,
                ctxt.AssemblyFixtureMappings);
    }

    private sealed class CollectionRunner : XunitTestCollectionRunner
    {
        protected override async ValueTask<RunSummary> RunTestClass(
            XunitTestCollectionRunnerContext ctxt, IXunitTestClass? testClass, IReadOnlyCollection<IXunitTestCase> testCases) =>
            testClass is null
                ? await base.RunTestClass(ctxt, testClass, testCases)
                : await new ClassRunner().Run(
                    testClass,
                    testCases,
                    ctxt.ExplicitOption,
                    ctxt.MessageBus,
                    ctxt.Aggregator.Clone(),
                    ctxt.CancellationTokenSource,
                    ctxt.ParallelMode,
                    ctxt.Scheduler,
                    ctxt.CollectionFixtureMappings);
    }

    private sealed class ClassRunner : XunitTestClassRunner
    {
        protected override async ValueTask<RunSummary> RunTestMethod(
            XunitTestClassRunnerContext ctxt, IXunitTestMethod? testMethod, IReadOnlyCollection<IXunitTestCase> testCases) =>
            testMethod is null
                ? await base.RunTestMethod(ctxt, testMethod, testCases)
                : await new MethodRunner().Run(
                    testMethod,
                    testCases,
                    ctxt.ExplicitOption,
                    ctxt.MessageBus,
                    ctxt.Aggregator.Clone(),
                    ctxt.CancellationTokenSource,
                    ctxt.ParallelMode,
                    ctxt.Scheduler,
                    ctxt.ConstructorArguments ?? [],
                    ctxt.ClassFixtureMappings);
    }

    private sealed class MethodRunner : XunitTestMethodRunner
    {
        protected override async ValueTask<RunSummary> RunTestCase(XunitTestMethodRunnerContext ctxt, IXunitTestCase testCase)
        {
            var aggregator = ctxt.Aggregator.Clone();
            var tests = await aggregator.RunAsync(testCase.CreateTests, []);
            return aggregator.HasExceptions || testCase is ISelfExecutingXunitTestCase
                ? await base.RunTestCase(ctxt, testCase)
                : await new CaseRunner().Run(
                    testCase,
                    tests,
                    ctxt.MessageBus,
                    aggregator,
                    ctxt.CancellationTokenSource,
                    ctxt.ParallelMode,
                    ctxt.Scheduler,
                    testCase.TestCaseDisplayName,
                    testCase.SkipReason,
                    ctxt.ExplicitOption,
                    ctxt.ConstructorArguments,
                    ctxt.MethodFixtureMappings);
        }
    }

    private sealed class CaseRunner : XunitTestCaseRunner
    {
        protected override ValueTask<RunSummary> RunTest(XunitTestCaseRunnerContext ctxt, IXunitTest test) =>
            new TestRunner().Run(
                test,
                ctxt.MessageBus,
                ctxt.ConstructorArguments,
                ctxt.ExplicitOption,
                ctxt.Aggregator.Clone(),
                ctxt.CancellationTokenSource,
                ctxt.ParallelMode,
                ctxt.Scheduler,
                ctxt.BeforeAfterTestAttributes,
                ctxt.CaseFixtureMappings);
    }

    private sealed class TestRunner : XunitTestRunner
    {
        private static readonly TimeSpan _grace = TimeSpan.FromSeconds(10);

        private ITestContext? _context;

        // The context of the test exists here, and not around it.
        protected override ValueTask<TimeSpan> InvokeTest(XunitTestRunnerContext ctxt, object? testClassInstance)
        {
            _context = TestContext.Current;
            return base.InvokeTest(ctxt, testClassInstance);
        }

        protected override async ValueTask<TimeSpan> RunTest(XunitTestRunnerContext ctxt)
        {
            if (ctxt.Test.Timeout > 0)
            {
                return await base.RunTest(ctxt);
            }

            var run = Task.Run(() => base.RunTest(ctxt).AsTask());
            try
            {
                return await run.WaitAsync(Limit, TimeProvider.System);
            }
            catch (TimeoutException) when (!run.IsCompleted)
            {
                ctxt.Aggregator.Add(
                    new TimeoutException($"The test did not end within {Limit}.\n{await HangReport.CreateAsync()}"));

                // The exception of a test that ends now becomes a part of the result, but must not do so while that is read.
                _context?.CancelCurrentTest();
                await Task.WhenAny(run, Task.Delay(_grace, TimeProvider.System));
                return Limit;
            }
        }
    }
}
